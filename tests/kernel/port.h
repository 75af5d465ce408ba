/* SPDX-License-Identifier: MIT */
#ifndef TESTS_KERNEL_PORT_H
#define TESTS_KERNEL_PORT_H
/*
 * port.h: what somebody who brings kernel code to user space writes beside
 * percpu/kernel.h, locks and memory, and threads in place of the kernel's.
 */
#include "check.h"
#include "disturb.h"

#include <errno.h>
#include <percpu/kernel.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define container_of(p, type, member)                                          \
	((type *)(void *)((char *)(p)-offsetof(type, member)))

#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)

typedef struct {
	pthread_mutex_t mutex;
} spinlock_t;

static inline void spin_lock_init(spinlock_t *lock)
{
	CHECK(pthread_mutex_init(&lock->mutex, NULL) == 0);
}

static inline void spin_lock(spinlock_t *lock)
{
	CHECK(pthread_mutex_lock(&lock->mutex) == 0);
}

static inline void spin_unlock(spinlock_t *lock)
{
	CHECK(pthread_mutex_unlock(&lock->mutex) == 0);
}

/*
 * Aligned to the largest power of two that divides @size, as in the kernel:
 * what contains a call_single_data_t or is on lines of its own needs it, and
 * malloc() does not give it.
 */
static inline void *kzalloc(size_t size, gfp_t gfp)
{
	size_t align = size & (0 - size);
	void *p = NULL;

	(void)gfp;
	if (align < sizeof(void *))
		align = sizeof(void *);
	if (posix_memalign(&p, align, size) != 0)
		return NULL;
	return memset(p, 0, size);
}

static inline void kfree(void *p)
{
	free(p);
}

enum { THREADS_MIN = 4, THREADS_MAX = 16 };

static bool moving; /* whether threads are moved from CPU to CPU */
static unsigned nr_threads;

struct thread {
	pthread_t id;
	unsigned me;
	u32 random;
	void (*fn)(struct thread *t);
};

/* For places between two operations, the @i-th of many. */
static inline void come_along(const struct thread *t, unsigned i)
{
	if (moving && i % 64 == 0)
		disturb_by_move(t->me + i / 64);
}

static inline u32 next_random(struct thread *t)
{
	t->random = t->random * 1664525u + 1013904223u;
	return t->random >> 8;
}

static inline void *start_thread(void *arg)
{
	struct thread *t = arg;

	t->fn(t);
	return NULL;
}

/* Two for each CPU; "moved" as the program's argument moves them. */
static inline void count_threads(int argc, char **argv)
{
	unsigned cpus = 0;

	alarm(60);
	moving = argc > 1 && strcmp(argv[1], "moved") == 0;
	for (unsigned i = 0; i < percpu_nr_cpu_ids(); i++)
		cpus += percpu_cpu_allowed(i);
	nr_threads = 2 * cpus < THREADS_MIN ? THREADS_MIN : 2 * cpus;
	if (nr_threads > THREADS_MAX)
		nr_threads = THREADS_MAX;
}

/* Returns when @fn has, in all threads. */
static inline void run_threads(void (*fn)(struct thread *t))
{
	struct thread t[THREADS_MAX];

	for (unsigned i = 0; i < nr_threads; i++) {
		t[i] = (struct thread){ .me = i, .random = i, .fn = fn };
		CHECK(pthread_create(&t[i].id, NULL, start_thread, &t[i]) == 0);
	}
	for (unsigned i = 0; i < nr_threads; i++)
		CHECK(pthread_join(t[i].id, NULL) == 0);
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_KERNEL_PORT_H
#define TESTS_KERNEL_PORT_H
/*
 * port.h: what somebody who brings kernel code to user space writes beside
 * percpu/kernel.h, locks and memory, and threads in place of the kernel's.
 */
#include "check.h"

#include <errno.h>
#include <percpu/kernel.h>
#include <pthread.h>
#include <sched.h>
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

enum { THREADS_MIN = 4, THREADS_MAX = 16, CPUS_MAX = 64 };

struct thread {
	pthread_t id;
	unsigned me;
	u32 random;
	void (*fn)(struct thread *t);
};

static unsigned nr_threads, nr_allowed, ended;
static bool moving; /* whether threads are moved from CPU to CPU */
static unsigned allowed[CPUS_MAX];
static pthread_barrier_t barrier;

static inline u32 next_random(struct thread *t)
{
	t->random = t->random * 1664525u + 1013904223u;
	return t->random >> 8;
}

static inline void *start_thread(void *arg)
{
	struct thread *t = arg;

	pthread_barrier_wait(&barrier);
	t->fn(t);
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Wherever they are, in the middle of an operation, too. */
static inline void move_threads(struct thread *t)
{
	struct thread dice = { .random = 1 };
	cpu_set_t set;

	while (READ_ONCE(ended) < nr_threads)
		for (unsigned i = 0; i < nr_threads; i++) {
			CPU_ZERO(&set);
			CPU_SET(allowed[next_random(&dice) % nr_allowed], &set);
			(void)pthread_setaffinity_np(t[i].id, sizeof(set),
						     &set);
		}
}

/* Two threads for each CPU; "moved" as the program's argument moves them. */
static inline void count_threads(int argc, char **argv)
{
	moving = argc > 1 && strcmp(argv[1], "moved") == 0;
	for (unsigned i = 0; i < percpu_nr_cpu_ids(); i++)
		if (nr_allowed < CPUS_MAX && percpu_cpu_allowed(i))
			allowed[nr_allowed++] = i;
	CHECK(nr_allowed > 0);
	nr_threads = 2 * nr_allowed;
	if (nr_threads < THREADS_MIN)
		nr_threads = THREADS_MIN;
	if (nr_threads > THREADS_MAX)
		nr_threads = THREADS_MAX;
}

/* Returns when @fn has, in all threads, which begin at the same time. */
static inline void run_threads(void (*fn)(struct thread *t))
{
	struct thread t[THREADS_MAX];

	ended = 0;
	CHECK(pthread_barrier_init(&barrier, NULL, nr_threads) == 0);
	for (unsigned i = 0; i < nr_threads; i++) {
		t[i] = (struct thread){ .me = i, .random = i, .fn = fn };
		CHECK(pthread_create(&t[i].id, NULL, start_thread, &t[i]) == 0);
	}
	if (moving)
		move_threads(t);
	for (unsigned i = 0; i < nr_threads; i++)
		CHECK(pthread_join(t[i].id, NULL) == 0);
	CHECK(pthread_barrier_destroy(&barrier) == 0);
}

#endif

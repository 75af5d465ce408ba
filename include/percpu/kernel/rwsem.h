/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_RWSEM_H
#define PERCPU_KERNEL_RWSEM_H
/*
 * rwsem.h: percpu_rw_semaphore, which is percpu/rwlock.h's lock.
 *
 * A static one is a lock from its first use on: it starts as one atomic word,
 * and a constructor of the file that defines it spreads its readers over CPUs,
 * if memory and fences are to be had. percpu_free_rwsem() is not for it.
 */
#include <percpu/kernel/ops.h>
#include <percpu/rwlock.h>

PERCPU__DECLS_BEGIN

struct percpu_rw_semaphore {
	struct percpu_rwlock lock;
};

void percpu__kernel_down_write(struct percpu_rw_semaphore *sem);
void percpu__kernel_spread(struct percpu_rw_semaphore *sem, void PERCPU *slots);

/* 0 or -ENOMEM. */
static inline int percpu_init_rwsem(struct percpu_rw_semaphore *sem)
{
	return percpu_rwlock_init(&sem->lock);
}

static inline void percpu_free_rwsem(struct percpu_rw_semaphore *sem)
{
	percpu_rwlock_destroy(&sem->lock);
}

static inline void percpu_down_read(struct percpu_rw_semaphore *sem)
{
	percpu_rwlock_read_lock(&sem->lock);
}

static inline bool percpu_down_read_trylock(struct percpu_rw_semaphore *sem)
{
	return percpu_rwlock_read_trylock(&sem->lock);
}

static inline void percpu_up_read(struct percpu_rw_semaphore *sem)
{
	percpu_rwlock_read_unlock(&sem->lock);
}

/* percpu_rwlock_write_lock(); where the system refuses a fence, abort. */
static inline void percpu_down_write(struct percpu_rw_semaphore *sem)
{
	percpu__kernel_down_write(sem);
}

static inline void percpu_up_write(struct percpu_rw_semaphore *sem)
{
	percpu_rwlock_write_unlock(&sem->lock);
}

/* Whether a writer has it or waits for it, at that moment. */
static inline bool percpu_is_write_locked(const struct percpu_rw_semaphore *sem)
{
	return (__atomic_load_n(&sem->lock.guarded.word, __ATOMIC_RELAXED) &
		PERCPU__RWLOCK_WRITER) != 0;
}

/*
 * Whether readers have it and no writer asks for it. An answer for messages:
 * readers that come or go meanwhile make it wrong, either way.
 * Cost: O(nr_cpu_ids).
 */
static inline bool percpu_is_read_locked(const struct percpu_rw_semaphore *sem)
{
	const struct percpu__guarded *g = &sem->lock.guarded;
	uint64_t word = __atomic_load_n(&g->word, __ATOMIC_RELAXED);
	uint64_t slots = 0;

	if ((word & PERCPU__RWLOCK_WRITER) != 0)
		return false;
	if (g->handle != NULL)
		slots = percpu_sum((uint64_t PERCPU *)g->handle);
	return (uint32_t)(word >> 32) + (uint32_t)slots != 0;
}

/* Always: nobody keeps account of who has it, as without lockdep. */
static inline bool percpu_rwsem_is_held(const struct percpu_rw_semaphore *sem)
{
	(void)sem;
	return true;
}

static inline void
percpu_rwsem_assert_held(const struct percpu_rw_semaphore *sem)
{
	(void)sem;
}

PERCPU__DECLS_END

/* For lockdep. */
#define percpu_rwsem_acquire(sem, read, ip) ((void)(sem))
#define percpu_rwsem_release(sem, ip) ((void)(sem))

/* A lock that has nothing but its word. */
#define PERCPU__KERNEL_RWSEM                                                   \
	{                                                                      \
		{                                                              \
			{ PERCPU__RWLOCK_SHUT, NULL }, 0, 0, { 0, 0 }, 0, 1    \
		}                                                              \
	}

#define PERCPU__KERNEL_RWSEM_SLOTS(name)                                       \
	static DEFINE_PER_CPU(uint64_t, name##_percpu_slots);                  \
	static void __attribute__((constructor(103)))                          \
	name##_percpu_spread(void)                                             \
	{                                                                      \
		if (percpu_kernel_ready())                                     \
			percpu__kernel_spread(                                 \
				&name,                                         \
				percpu__kernel_handle(                         \
					(uintptr_t)&name##_percpu_slots));     \
	}

#define DEFINE_STATIC_PERCPU_RWSEM(name)                                       \
	static struct percpu_rw_semaphore name = PERCPU__KERNEL_RWSEM;         \
	PERCPU__KERNEL_RWSEM_SLOTS(name)                                       \
	PERCPU__KERNEL_ASSERT(sizeof(name) > 0, "a semaphore")
#define DEFINE_PERCPU_RWSEM(name)                                              \
	struct percpu_rw_semaphore name = PERCPU__KERNEL_RWSEM;                \
	PERCPU__KERNEL_RWSEM_SLOTS(name)                                       \
	PERCPU__KERNEL_ASSERT(sizeof(name) > 0, "a semaphore")

#endif

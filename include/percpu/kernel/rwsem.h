/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_RWSEM_H
#define PERCPU_KERNEL_RWSEM_H
/*
 * rwsem.h: percpu_rw_semaphore, which is percpu/rwlock.h's lock. There is no
 * DEFINE_STATIC_PERCPU_RWSEM(): its init could not fail, and that takes memory.
 */
#include <percpu/rwlock.h>

PERCPU__DECLS_BEGIN

struct percpu_rw_semaphore {
	struct percpu_rwlock lock;
};

void percpu__kernel_down_write(struct percpu_rw_semaphore *sem);

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

PERCPU__DECLS_END
#endif

/* SPDX-License-Identifier: MIT */
/*
 * lock.c: the allocator's lock across fork.
 *
 * Fork handlers of others may hold locks under which others yet allocate here.
 * Handlers that prepare a fork run in the reverse order of their registration:
 * this one registers as early as a library can, so it takes the lock last, as
 * every allocation does, and no order of locks is ever turned round.
 *
 * In a program that loads the library at run time, handlers from before run
 * with the lock held. The thread that forks may allocate in them: the list is
 * whole then, and nobody else gets at it. Two cases are not provided for, and
 * stop for ever: such a handler waits for a lock under which another thread
 * allocates; and a signal handler forks that interrupted an allocation of its
 * own thread.
 */
#include "lock.h"

#include <percpu/base.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* On lines of its own: what lies beside it may be read by every operation. */
static struct {
	pthread_mutex_t mutex;
	PERCPU_LINE_PAD(pad);
} PERCPU_LINE_ALIGNED lock = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* The thread that holds the lock over its fork, and its copy in the child. */
static _Atomic pthread_t forker;

static bool forking(void)
{
	return pthread_equal(
		atomic_load_explicit(&forker, memory_order_relaxed),
		pthread_self());
}

void percpu__lock_take(void)
{
	if (!forking())
		pthread_mutex_lock(&lock.mutex);
}

void percpu__lock_drop(void)
{
	if (!forking())
		pthread_mutex_unlock(&lock.mutex);
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock.mutex);
	atomic_store_explicit(&forker, pthread_self(), memory_order_relaxed);
}

static void after_fork(void)
{
	atomic_store_explicit(&forker, (pthread_t)0, memory_order_relaxed);
	pthread_mutex_unlock(&lock.mutex);
}

int percpu__lock_start(void)
{
	static atomic_bool started;
	int ret;

	if (atomic_exchange(&started, true))
		return 0;
	ret = pthread_atfork(before_fork, after_fork, after_fork);
	if (ret != 0)
		atomic_store(&started, false);
	return -ret;
}

static void __attribute__((constructor(101))) start_early(void)
{
	percpu__lock_start();
}

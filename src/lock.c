/* SPDX-License-Identifier: MIT */
/*
 * lock.c: the allocator's lock across fork.
 *
 * Fork handlers of others may hold locks under which others yet allocate here.
 * Handlers that prepare a fork run in the reverse order of their registration:
 * this one registers as early as a library can, so it takes the lock last, as
 * every allocation does, and no order of locks is ever turned round.
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

void percpu__lock(void)
{
	pthread_mutex_lock(&lock.mutex);
}

void percpu__unlock(void)
{
	pthread_mutex_unlock(&lock.mutex);
}

int percpu__lock_start(void)
{
	static atomic_bool started;
	int ret;

	if (atomic_exchange(&started, true))
		return 0;
	ret = pthread_atfork(percpu__lock, percpu__unlock, percpu__unlock);
	if (ret != 0)
		atomic_store(&started, false);
	return -ret;
}

static void __attribute__((constructor(101))) start_early(void)
{
	percpu__lock_start();
}

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

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void percpu__lock(void)
{
	pthread_mutex_lock(&lock);
}

void percpu__unlock(void)
{
	pthread_mutex_unlock(&lock);
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

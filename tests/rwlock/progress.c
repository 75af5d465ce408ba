/* SPDX-License-Identifier: MIT */
/*
 * A writer gets the lock while there is always some reader that has it, and a
 * reader while there is always some writer: neither waits for ever.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { SECONDS = 60, TURNS = 200 };

static struct percpu_rwlock lock;
static bool done;
static unsigned holding; /* readers that have the lock */

static bool is_done(void)
{
	return __atomic_load_n(&done, __ATOMIC_RELAXED);
}

/* Lets go only when another reader has the lock, or none can get it. */
static void *read_over_and_over(void *arg)
{
	(void)arg;
	while (!is_done()) {
		percpu_rwlock_read_lock(&lock);
		__atomic_fetch_add(&holding, 1, __ATOMIC_SEQ_CST);
		for (int i = 0; i < 20; i++) {
			if (__atomic_load_n(&holding, __ATOMIC_SEQ_CST) > 1)
				break;
			sched_yield();
		}
		__atomic_fetch_sub(&holding, 1, __ATOMIC_SEQ_CST);
		percpu_rwlock_read_unlock(&lock);
	}
	return NULL;
}

static void *write_over_and_over(void *arg)
{
	(void)arg;
	while (!is_done()) {
		CHECK(percpu_rwlock_write_lock(&lock) == 0);
		sched_yield();
		percpu_rwlock_write_unlock(&lock);
	}
	return NULL;
}

static void write_once(void)
{
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	CHECK_EQ(__atomic_load_n(&holding, __ATOMIC_SEQ_CST), 0);
	percpu_rwlock_write_unlock(&lock);
}

static void read_once(void)
{
	percpu_rwlock_read_lock(&lock);
	percpu_rwlock_read_unlock(&lock);
}

static void among(void *(*others)(void *), void (*turn)(void))
{
	pthread_t threads[3];

	__atomic_store_n(&done, false, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 3; i++)
		CHECK(pthread_create(&threads[i], NULL, others, NULL) == 0);
	for (unsigned i = 0; i < TURNS; i++)
		turn();
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 3; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void)
{
	alarm(SECONDS); /* one that waits for ever */
	CHECK(percpu_rwlock_init(&lock) == 0);
	among(read_over_and_over, write_once);
	among(write_over_and_over, read_once);
	percpu_rwlock_destroy(&lock);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Who destroys counters while their pages are given back waits for that, and
 * then nothing is left of them.
 */
#include "steps.h"

#include <pthread.h>
#include <sched.h>

enum { YIELDS = 200 };

static pthread_t thread;
static bool started;
static bool destroyed;

static void *destroy(void *arg)
{
	(void)arg;
	percpu_counter_destroy_many(retire_c, RETIRE_COUNTERS);
	__atomic_store_n(&destroyed, true, __ATOMIC_RELEASE);
	return NULL;
}

static void retire_hook(enum retire_step step)
{
	if (step != RETIRE_CLAIMED)
		return;
	/* The counters are the other thread's now. */
	retire_armed = false;
	started = true;
	CHECK(pthread_create(&thread, NULL, destroy, NULL) == 0);
	for (unsigned i = 0; i < YIELDS; i++)
		sched_yield();
	CHECK(!__atomic_load_n(&destroyed, __ATOMIC_ACQUIRE));
}

int main(void)
{
	retire_start();
	retire_refresh();
	CHECK(started || !retires_counters());
	if (started)
		CHECK(pthread_join(thread, NULL) == 0);
	else
		percpu_counter_destroy_many(retire_c, RETIRE_COUNTERS);
	retire_end();
	return TEST_PASS;
}

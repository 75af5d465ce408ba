/* SPDX-License-Identifier: MIT */
/*
 * Counters, references, caches, locks and what is allocated stay exact while
 * the CPUs of the threads that use them shrink and grow, with a refresh at each
 * change.
 */
#include "cpus.h"
#include "disturb.h"
#include "load.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 100000 };

static unsigned running = THREADS;
static pthread_t threads[THREADS];

static void *work(void *arg)
{
	timer_t timer = disturb_by_signals();

	(void)arg;
	for (unsigned i = 0; i < ROUNDS; i++)
		load_step();
	CHECK(timer_delete(timer) == 0);
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* All threads on the CPUs of @set. */
static void change(const cpu_set_t *set)
{
	CHECK(sched_setaffinity(0, sizeof(*set), set) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_setaffinity_np(threads[i], sizeof(*set), set) ==
		      0);
	CHECK(percpu_cpus_refresh() == 0);
}

static void shrink_and_grow(void)
{
	cpu_set_t set;

	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0)
		for (unsigned i = 1; i <= 3; i++) {
			CPU_ZERO(&set);
			if ((i & 1) != 0)
				CPU_SET(allowed_cpu(0), &set);
			if ((i & 2) != 0)
				CPU_SET(allowed_cpu(1), &set);
			change(&set);
		}
}

static void on_alarm(int sig)
{
	(void)sig;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };

	allowed_cpu(1);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	load_start(THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	shrink_and_grow();
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	load_end(THREADS * ROUNDS);
	return TEST_PASS;
}

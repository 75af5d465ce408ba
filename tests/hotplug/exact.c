/* SPDX-License-Identifier: MIT */
/*
 * Counters, references, caches, locks and what is allocated stay exact while
 * the CPUs of the threads that use them shrink and grow, with a refresh at each
 * change.
 */
#include "cpus.h"
#include "disturb.h"
#include "load.h"
#include "shrink.h"

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
	shrink_and_grow(threads, THREADS, &running);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	load_end(THREADS * ROUNDS);
	return TEST_PASS;
}

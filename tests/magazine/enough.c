/* SPDX-License-Identifier: MIT */
/*
 * Threads that hold one item at most, and as many items as threads: one is
 * cached whenever a thread wants one, however they move from CPU to CPU
 * meanwhile, and each get gets one, with a limit and without.
 */
#include "backing.h"
#include "cpus.h"
#include "disturb.h"
#include "random.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 4000 };

static struct percpu_cache *c;

/* A thread that is interrupted lets the others go on. */
static void on_signal(int sig)
{
	(void)sig;
	sched_yield();
}

static void *work(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)arg;
	timer_t timer = disturb_by_signals();
	uint64_t id;

	for (int i = 0; i < ROUNDS; i++) {
		if (one_in(&seed, 8))
			go_to(allowed_cpu(pick(&seed, 2)));
		if (one_in(&seed, 4))
			CHECK(percpu_cache_get_limit(c, THREADS - 1, &id) == 0);
		else
			CHECK(percpu_cache_get(c, &id) == 0);
		CHECK(id < THREADS);
		if (one_in(&seed, 2))
			go_to(allowed_cpu(pick(&seed, 2)));
		CHECK(percpu_cache_put(c, id) == 0);
	}
	CHECK(timer_delete(timer) == 0);
	return NULL;
}

static void run(bool backed)
{
	struct backing none = { .ids = 0 };
	struct percpu_cache_attr attr = { .arg = &none };
	pthread_t threads[THREADS];

	attr.alloc = backed ? backing_alloc : NULL;
	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	for (uint64_t i = 0; i < THREADS; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work,
				     (void *)(i + 1)) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK_EQ(stats_of(c).depot + stats_of(c).magazines, THREADS);
	percpu_cache_destroy(c);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	allowed_cpu(0);
	run(false);
	run(true);
	return TEST_PASS;
}

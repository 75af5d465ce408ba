/* SPDX-License-Identifier: MIT */
/*
 * Threads add to counters, sum them, and make and destroy others beside them,
 * while the CPUs that they may use shrink and grow and each time the memory of
 * those that are gone is given back: sums never dip, and end exact.
 */
#include "cpus.h"
#include "disturb.h"
#include "shrink.h"

#include <pthread.h>

enum { ADDERS = 3, THREADS = ADDERS + 1, COUNTERS = 1000, ROUNDS = 1000 };
enum { SHORT_LIVED = 200 };

static struct percpu_counter c[COUNTERS];
static pthread_t threads[THREADS];
static unsigned running = THREADS;

static void on_alarm(int sig)
{
	(void)sig;
	percpu_counter_inc(&c[1]);
}

static int64_t amount(unsigned i)
{
	return i % 50 == 0 ? 1000 : (int64_t)(i % 40);
}

static unsigned signals(void)
{
	return (unsigned)percpu_counter_sum(&c[1]);
}

static void add_and_sum(void)
{
	int64_t before = 0;

	for (unsigned i = 2; i < COUNTERS; i++) {
		percpu_counter_add(&c[i], amount(i));
		if (i % 8 == 0) {
			int64_t now = percpu_counter_sum(&c[8]);

			CHECK(now >= before);
			before = now;
		}
	}
}

static void *add(void *arg)
{
	timer_t timer = disturb_by_signals();

	(void)arg;
	for (unsigned i = 0; i < ROUNDS; i++)
		add_and_sum();
	CHECK(timer_delete(timer) == 0);
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void make_and_destroy(void)
{
	struct percpu_counter d[SHORT_LIVED];
	uint64_t PERCPU *h;

	for (unsigned i = 0; i < SHORT_LIVED; i++) {
		CHECK(percpu_counter_init(&d[i], i) == 0);
		percpu_counter_add(&d[i], 100);
	}
	for (unsigned i = 0; i < SHORT_LIVED; i++) {
		CHECK_EQ(percpu_counter_sum(&d[i]), 100 + i);
		percpu_counter_destroy(&d[i]);
	}
	/* Where a counter was. */
	h = percpu_alloc(24, 8);
	CHECK(h != NULL);
	percpu_add(h, 5);
	CHECK_EQ(percpu_sum(h), 5);
	percpu_free(h);
}

static void *live(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < ROUNDS; i++)
		make_and_destroy();
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };

	allowed_cpu(1);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	CHECK(percpu_counter_init_many(c, 0, COUNTERS) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, i < ADDERS ? add : live,
				     NULL) == 0);
	shrink_and_grow(threads, THREADS, &running);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	for (unsigned i = 2; i < COUNTERS; i++)
		CHECK_EQ(percpu_counter_sum(&c[i]),
			 (uint64_t)amount(i) * ADDERS * ROUNDS);
	printf("%u signals\n", signals());
	percpu_counter_destroy_many(c, COUNTERS);
	return TEST_PASS;
}

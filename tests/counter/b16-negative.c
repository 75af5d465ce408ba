/* SPDX-License-Identifier: MIT */
/*
 * b16-negative.c: elastic/elasticsearch#71446, varnishcache/varnish-cache#2187:
 * a gauge that cannot be below zero is read below, and shown as 2^64 - 4. Here
 * what slots have not told takes a read 20 below, which read_positive shows as
 * 0. Then a thread counts up on one CPU and down on another, again and again:
 * what read_positive and sum_positive say is never below zero, read stays within
 * its bound of the truth, and in the end all is 0.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>
#include <sched.h>

#define PAIRS 1000u

static struct percpu_counter gauge;
static bool done;

static void *up_and_down(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < PAIRS; i++) {
		crowd_pin(pthread_self(), 0);
		percpu_counter_inc(&gauge);
		crowd_pin(pthread_self(), 1);
		percpu_counter_dec(&gauge);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Of what is 0, all have been told -20, and not yet of the 20 of CPU 1. */
static void begin_below(void)
{
	bool shared = percpu_backend(NULL) == PERCPU_MODE_SHARED;

	percpu_counter_add_batch(&gauge, -20, 1);
	crowd_pin(pthread_self(), 1);
	percpu_counter_add(&gauge, 20);
	crowd_pin(pthread_self(), 0);
	CHECK_EQ(percpu_counter_sum(&gauge), 0);
	CHECK_EQ(percpu_counter_read(&gauge), shared ? 0 : -20);
	CHECK_EQ(percpu_counter_read_positive(&gauge), 0);
}

int main(void)
{
	pthread_t thread;
	int64_t bound;

	crowd_pin(pthread_self(), 0); /* before there are threads */
	CHECK(percpu_counter_init(&gauge, 0) == 0);
	begin_below();
	bound = percpu_counter_error_bound(&gauge);
	CHECK(pthread_create(&thread, NULL, up_and_down, NULL) == 0);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		int64_t read = percpu_counter_read(&gauge);

		CHECK(read >= -bound && read <= bound + 1);
		CHECK(percpu_counter_read_positive(&gauge) >= 0);
		CHECK(percpu_counter_sum_positive(&gauge) >= 0);
		sched_yield();
	}
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK_EQ(percpu_counter_sum(&gauge), 0);
	return TEST_PASS;
}

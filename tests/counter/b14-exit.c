/* SPDX-License-Identifier: MIT */
/*
 * b14-exit.c: github facebook/folly#133: a reader that runs while a thread ends
 * misses that thread's part, and has it later. Here threads add 100 and end,
 * one after another, on one CPU and the next, while sums are taken: none is
 * below the one before, nor below what was joined; and a read between two sums
 * is no further off than its bound.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>
#include <pthread.h>

#define THREADS 400

static struct percpu_counter counter;
static int64_t joined;

static void *add(void *arg)
{
	crowd_pin(pthread_self(), (unsigned)(uintptr_t)arg);
	for (int i = 0; i < 100; i++)
		percpu_counter_inc(&counter);
	return NULL;
}

static void *come_and_go(void *arg)
{
	(void)arg;
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_t thread;

		CHECK(pthread_create(&thread, NULL, add, (void *)i) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
		__atomic_store_n(&joined, (int64_t)(i + 1) * 100,
				 __ATOMIC_RELEASE);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int64_t last = 0;
	int64_t bound;

	crowd_pin(pthread_self(), 0); /* before there are threads */
	CHECK(percpu_counter_init(&counter, 0) == 0);
	bound = percpu_counter_error_bound(&counter);
	CHECK(pthread_create(&thread, NULL, come_and_go, NULL) == 0);
	while (last < THREADS * 100) {
		int64_t least = __atomic_load_n(&joined, __ATOMIC_ACQUIRE);
		int64_t sum = percpu_counter_sum(&counter);
		int64_t read = percpu_counter_read(&counter);

		CHECK(read >= sum - bound);
		CHECK(read <= percpu_counter_sum(&counter) + bound);
		CHECK(sum >= least);
		CHECK(sum >= last);
		CHECK(sum <= THREADS * 100);
		last = sum;
	}
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK_EQ(percpu_counter_sum(&counter), THREADS * 100);
	return TEST_PASS;
}

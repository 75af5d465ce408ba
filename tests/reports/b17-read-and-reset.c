/* SPDX-License-Identifier: MIT */
/*
 * B17: kamon-io/Kamon#393, DataDog/dd-trace-java#12351: a reader that reads and
 * resets a counter lost what came between the two. Two threads add 1 as often as
 * it says, a third exchanges for 0 until they end: all that it got, and the
 * rest, is what was added.
 *
 * usage: b17-read-and-reset ADDS
 */
#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>

enum { WRITERS = 2 };

static struct percpu_counter counter;
static long adds;
static int writing = WRITERS;

static void *count(void *arg)
{
	for (long i = 0; i < adds; i++)
		percpu_counter_inc(&counter);
	__atomic_fetch_sub(&writing, 1, __ATOMIC_RELEASE);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t writer[WRITERS];
	int64_t sum = 0;

	CHECK(argc == 2);
	adds = atol(argv[1]);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	for (unsigned i = 0; i < WRITERS; i++)
		CHECK(pthread_create(&writer[i], NULL, count, NULL) == 0);
	while (__atomic_load_n(&writing, __ATOMIC_ACQUIRE) > 0) {
		int64_t was = percpu_counter_exchange(&counter, 0);

		CHECK(was >= 0);
		sum += was;
	}
	for (unsigned i = 0; i < WRITERS; i++)
		CHECK(pthread_join(writer[i], NULL) == 0);
	sum += percpu_counter_exchange(&counter, 0);
	CHECK_EQ(sum, WRITERS * adds);
	CHECK_EQ(percpu_counter_sum(&counter), 0);
	percpu_counter_destroy(&counter);
	return TEST_PASS;
}

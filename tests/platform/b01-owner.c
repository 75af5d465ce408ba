/* SPDX-License-Identifier: MIT */
/*
 * B01: whoever owns the threads' areas, adds are exact and stay in the table;
 * where restartable sequences are had, also threads that were there before the
 * first use run them. Started plain, with libc's registration off, under an
 * emulator, and under valgrind.
 *
 * Threads are made before the first use, since glibc registers a thread whose
 * creator is registered, whoever registered that one.
 */
#include "count.h"

#define THREADS 4u
#define ADDS 50000u

static pthread_barrier_t allocated;
static uint64_t PERCPU *h;

static void *body(void *arg)
{
	pthread_barrier_wait(&allocated);
	for (unsigned i = 0; i < ADDS; i++)
		percpu_inc(h);
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];

	CHECK(pthread_barrier_init(&allocated, NULL, THREADS + 1) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, body, NULL) == 0);
	h = percpu_new(uint64_t);
	CHECK(h != NULL);
	pthread_barrier_wait(&allocated);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK_EQ(percpu_sum(h), THREADS * ADDS);
	CHECK_EQ(walk_sum(h), THREADS * ADDS);
	if (percpu_backend(NULL) == PERCPU_MODE_RSEQ)
		CHECK(*percpu_shared_ptr(h) < ADDS);
	return TEST_PASS;
}

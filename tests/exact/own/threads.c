/* SPDX-License-Identifier: MIT */
/*
 * threads.c: where this library registers threads, thousands of short ones
 * add exactly, and their areas are used again.
 *
 * For src/area_own.c. Signals hit the threads in their last moments too, and
 * none of that may cost a later thread its registration.
 */
#include "check.h"

#include "../../../src/area.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <signal.h>

enum { ROUNDS = 500, AT_ONCE = 8, ADDS = 50, AREAS_MAX = 4096 };

static uint64_t PERCPU *count;
static uint64_t handled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const void *seen[AREAS_MAX]; /* under the lock */
static unsigned areas;		    /* under the lock */

static void note_area(const void *area)
{
	unsigned i = 0;

	pthread_mutex_lock(&lock);
	while (i < areas && seen[i] != area)
		i++;
	CHECK(i < AREAS_MAX);
	seen[i] = area;
	if (i == areas)
		areas++;
	pthread_mutex_unlock(&lock);
}

static void on_signal(int nr)
{
	(void)nr;
	percpu_inc(count);
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	(void)arg;
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_RSEQ);
	CHECK(percpu__area() != NULL);
	note_area(percpu__area());
	for (unsigned i = 0; i < ADDS; i++)
		percpu_inc(count);
	return NULL;
}

static void run_round(void)
{
	pthread_t thread[AT_ONCE];

	for (unsigned i = 0; i < AT_ONCE; i++)
		CHECK(pthread_create(&thread[i], NULL, work, NULL) == 0);
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < AT_ONCE; i++)
			pthread_kill(thread[i], SIGUSR1);
	for (unsigned i = 0; i < AT_ONCE; i++)
		pthread_join(thread[i], NULL);
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_signal };

	if (percpu_backend(NULL) != PERCPU_MODE_RSEQ)
		SKIP("no restartable sequences here");
	count = percpu_new(uint64_t);
	CHECK(count != NULL);
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	for (unsigned i = 0; i < ROUNDS; i++)
		run_round();
	CHECK_EQ(percpu_sum(count),
		 (uint64_t)ROUNDS * AT_ONCE * ADDS + handled);
	printf("%d threads, %u areas, %llu handlers\n", ROUNDS * AT_ONCE, areas,
	       (unsigned long long)handled);
	CHECK(areas < ROUNDS);
	return TEST_PASS;
}

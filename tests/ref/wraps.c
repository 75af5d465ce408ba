/* SPDX-License-Identifier: MIT */
/*
 * Conformance 69: references taken in the word, by a thread without sections,
 * and given back in slots, more often than the word can count: how many there
 * are is right all the time, and the last is released.
 */
#include "support.h"

#include "unregister.h"

#include <pthread.h>

enum { ROUNDS = 9 };

#define MOST ((1ull << 31) - 2)

static struct percpu_ref ref;
static unsigned called;
static pthread_barrier_t taken;
static pthread_barrier_t given;

static void release(struct percpu_ref *r)
{
	(void)r;
	called++;
}

static void *take(void *arg)
{
	unregister();
	for (int i = 0; i < ROUNDS; i++) {
		percpu_ref_get_many(&ref, MOST);
		pthread_barrier_wait(&taken);
		pthread_barrier_wait(&given);
	}
	return arg;
}

int main(void)
{
	pthread_t taker;

	CHECK_EQ(percpu_ref_init(&ref, release, 0), 0);
	pthread_barrier_init(&taken, NULL, 2);
	pthread_barrier_init(&given, NULL, 2);
	CHECK(pthread_create(&taker, NULL, take, NULL) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&taken);
		CHECK_EQ(percpu_ref_val(&ref), MOST + 1);
		percpu_ref_put_many(&ref, MOST);
		CHECK_EQ(percpu_ref_val(&ref), 1);
		pthread_barrier_wait(&given);
	}
	CHECK(pthread_join(taker, NULL) == 0);
	percpu_ref_get(&ref);
	percpu_ref_kill(&ref);
	CHECK_EQ(percpu_ref_val(&ref), 1);
	CHECK_EQ(called, 0);
	percpu_ref_put(&ref);
	CHECK_EQ(called, 1);
	CHECK_EQ(percpu_ref_exit(&ref), 0);
	return TEST_PASS;
}

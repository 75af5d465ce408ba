/* SPDX-License-Identifier: MIT */
/*
 * A bigref finds its last put after disown and not before, is released once,
 * and what the proposal got wrong is right: a count set to 0, destroying
 * twice, a release that is NULL.
 */
#include "check.h"
#include "live.h"

#include <percpu/kernel.h>

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 20000 };

static struct bigref ref;
static unsigned released;

static void release(struct bigref *r)
{
	CHECK(r == &ref);
	__atomic_fetch_add(&released, 1, __ATOMIC_RELAXED);
}

/* Starts with a reference, which it puts. */
static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		bigref_get(&ref);
		bigref_put(&ref, release);
	}
	bigref_put(&ref, release);
	return arg;
}

static void found_once(void)
{
	pthread_t threads[THREADS];

	released = 0;
	bigref_init(&ref);
	for (int i = 0; i < THREADS; i++) {
		bigref_get(&ref);
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	}
	bigref_disown(&ref);
	bigref_put(&ref, release);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(released, 1);
	CHECK_EQ(bigref_val(&ref), 0);
	bigref_destroy(&ref);
	bigref_destroy(&ref);
}

/* As for a net device: users alone hold it, and zero is one count of many. */
static void zero_before_disown(void)
{
	released = 0;
	bigref_init(&ref);
	CHECK_EQ(bigref_val(&ref), 1);
	bigref_set(&ref, 0);
	CHECK_EQ(bigref_val(&ref), 0);
	for (int i = 0; i < 3; i++) {
		bigref_get(&ref);
		CHECK_EQ(bigref_val(&ref), 1);
		bigref_put(&ref, release);
		CHECK_EQ(bigref_val(&ref), 0);
	}
	CHECK_EQ(released, 0);
	bigref_set(&ref, 3);
	CHECK_EQ(bigref_val(&ref), 3);
	bigref_destroy(&ref);
}

/* Nothing is left of one that was released, or destroyed before that. */
static void no_release(void)
{
	size_t before = live();

	bigref_init(&ref);
	bigref_disown(&ref);
	CHECK_EQ(bigref_val(&ref), 1);
	bigref_put(&ref, NULL);
	CHECK_EQ(bigref_val(&ref), 0);
	bigref_init(&ref);
	bigref_disown(&ref);
	bigref_destroy(&ref);
	bigref_init(&ref);
	bigref_destroy(&ref);
	CHECK_EQ(live(), before);
}

int main(void)
{
	found_once();
	zero_before_disown();
	no_release();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * b21-live.c: once kill has confirmed, no tryget_live() of another CPU's thread
 * succeeds, and release runs once.
 */
#include "support.h"

#define ROUNDS 200u

static struct percpu_ref ref[ROUNDS];
static unsigned at; /* the reference at hand */
static bool confirmed[ROUNDS];
static unsigned released;
static unsigned long got;

static void release(struct percpu_ref *r)
{
	(void)r;
	__atomic_fetch_add(&released, 1, __ATOMIC_RELEASE);
}

static void confirm(struct percpu_ref *r)
{
	__atomic_store_n(&confirmed[r - ref], true, __ATOMIC_SEQ_CST);
}

static void *loop(void *arg)
{
	unsigned i;

	ref_move(1);
	while ((i = __atomic_load_n(&at, __ATOMIC_ACQUIRE)) < ROUNDS) {
		bool late = __atomic_load_n(&confirmed[i], __ATOMIC_SEQ_CST);

		if (!percpu_ref_tryget_live(&ref[i]))
			continue;
		CHECK(!late);
		__atomic_fetch_add(&got, 1, __ATOMIC_RELAXED);
		percpu_ref_put(&ref[i]);
	}
	return arg;
}

int main(int argc, char **argv)
{
	unsigned flags = ref_flags(argc, argv);
	pthread_t thread;

	for (unsigned i = 0; i < ROUNDS; i++)
		CHECK_EQ(percpu_ref_init(&ref[i], release, flags), 0);
	CHECK(pthread_create(&thread, NULL, loop, NULL) == 0);
	ref_move(0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned long before = __atomic_load_n(&got, __ATOMIC_RELAXED);

		while (__atomic_load_n(&got, __ATOMIC_RELAXED) - before < 3)
			sched_yield();
		percpu_ref_kill_and_confirm(&ref[i], confirm);
		CHECK(!percpu_ref_tryget_live(&ref[i]));
		while (__atomic_load_n(&released, __ATOMIC_ACQUIRE) <= i)
			sched_yield();
		CHECK_EQ(released, i + 1);
		__atomic_store_n(&at, i + 1, __ATOMIC_RELEASE);
	}
	CHECK(pthread_join(thread, NULL) == 0);
	for (unsigned i = 0; i < ROUNDS; i++)
		CHECK_EQ(percpu_ref_exit(&ref[i]), 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * order.c: what threads wrote before their puts is seen in release, with plain
 * loads and stores; built for ThreadSanitizer, library and all, it says so, too.
 */
#include "support.h"

#define THREADS 2u
#define ROUNDS 100u

struct object {
	struct percpu_ref ref;
	unsigned written[THREADS];
};

static struct object object[ROUNDS];
static unsigned released;
static pthread_barrier_t round_begins;

static void release(struct percpu_ref *r)
{
	const struct object *o = (const struct object *)(void *)r;

	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(o->written[i], i + 1);
	__atomic_fetch_add(&released, 1, __ATOMIC_RELAXED);
}

static void *writes(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	ref_move(me);
	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&round_begins);
		object[i].written[me] = me + 1;
		percpu_ref_put(&object[i].ref);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned flags = ref_flags(argc, argv);
	pthread_t thread[THREADS];

	CHECK(pthread_barrier_init(&round_begins, NULL, THREADS + 1) == 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		CHECK_EQ(percpu_ref_init(&object[i].ref, release, flags), 0);
		percpu_ref_get_many(&object[i].ref, THREADS);
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, writes, (void *)i) == 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&round_begins);
		percpu_ref_kill(&object[i].ref);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	CHECK_EQ(released, ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++)
		CHECK_EQ(percpu_ref_exit(&object[i].ref), 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * leak.c: tryget against kill, a million times: what it says it took is all
 * that has to be put, so each reference is released, once.
 */
#include "support.h"

#define REFS 500u
#define TRIES 2000u /* of each, at least, before it is killed */

struct object {
	struct percpu_ref ref;
	unsigned released;
};

static struct object objects[REFS];
static uint64_t tries;
static bool adapts;

static void release(struct percpu_ref *r)
{
	struct object *o = (struct object *)(void *)r;

	__atomic_fetch_add(&o->released, 1, __ATOMIC_RELAXED);
}

/* Every other time both are of the kind that asks for life. */
static void use(struct percpu_ref *r)
{
	while ((tries & 1) != 0 ? percpu_ref_tryget(r) :
				  percpu_ref_tryget_live(r)) {
		if (adapts && tries % 256 == 0)
			ref_promote(r);
		percpu_ref_put(r);
		__atomic_store_n(&tries, tries + 1, __ATOMIC_RELAXED);
	}
	CHECK(percpu_ref_is_dying(r));
}

static void *uses(void *arg)
{
	for (unsigned i = 0; i < REFS; i++)
		use(&objects[i].ref);
	return arg;
}

static void let_try(uint64_t n)
{
	while (__atomic_load_n(&tries, __ATOMIC_RELAXED) < n)
		sched_yield();
}

int main(int argc, char **argv)
{
	unsigned flags = ref_flags(argc, argv);
	pthread_t thread;

	adapts = (flags & PERCPU_REF_ADAPTIVE) != 0;
	for (unsigned i = 0; i < REFS; i++)
		CHECK_EQ(percpu_ref_init(&objects[i].ref, release, flags), 0);
	CHECK(pthread_create(&thread, NULL, uses, NULL) == 0);
	for (unsigned i = 0; i < REFS; i++) {
		let_try((uint64_t)TRIES * (i + 1));
		percpu_ref_kill(&objects[i].ref);
	}
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(tries >= (uint64_t)REFS * TRIES);
	for (unsigned i = 0; i < REFS; i++) {
		CHECK_EQ(objects[i].released, 1);
		CHECK_EQ(percpu_ref_val(&objects[i].ref), 0);
		CHECK_EQ(percpu_ref_exit(&objects[i].ref), 0);
	}
	return TEST_PASS;
}

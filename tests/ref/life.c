/* SPDX-License-Identifier: MIT */
/*
 * life.c: what each call does to a reference, from init to exit, and what each
 * refuses; whatever way it counts.
 */
#include "live.h"
#include "support.h"

#include <errno.h>
#include <stdlib.h>

struct object {
	struct percpu_ref ref;
	unsigned released;
};

static struct object o;
static unsigned flags;
static unsigned called;

static void release(struct percpu_ref *r)
{
	((struct object *)(void *)r)->released++;
}

/* Whoever confirms still has the reference of init. */
static void note(struct percpu_ref *r)
{
	CHECK(!percpu_ref_is_zero(r));
	CHECK_EQ(o.released, 0);
	called++;
}

static void begin(unsigned more)
{
	o.released = 0;
	CHECK_EQ(percpu_ref_init(&o.ref, release, flags | more), 0);
}

static void end(void)
{
	CHECK_EQ(percpu_ref_exit(&o.ref), 0);
	CHECK(percpu_ref_is_zero(&o.ref));
	CHECK_EQ(percpu_ref_exit(&o.ref), 0);
}

static void refused(void)
{
	struct percpu_ref before = o.ref;

	CHECK_EQ(percpu_ref_init(&o.ref, NULL, flags), -EINVAL);
	CHECK_EQ(percpu_ref_init(&o.ref, release, 16), -EINVAL);
	CHECK(memcmp(&before, &o.ref, sizeof(before)) == 0);
}

static void init_and_kill(void)
{
	begin(0);
	CHECK_EQ(percpu_ref_val(&o.ref), 1);
	CHECK(!percpu_ref_is_zero(&o.ref) && !percpu_ref_is_dying(&o.ref));
	percpu_ref_kill(&o.ref);
	CHECK_EQ(o.released, 1);
	CHECK(percpu_ref_is_zero(&o.ref) && percpu_ref_is_dying(&o.ref));
	end();
	CHECK(percpu_ref_is_zero(&o.ref));
	begin(0);
	called = 0;
	percpu_ref_kill_and_confirm(&o.ref, note);
	CHECK_EQ(called, 1);
	CHECK_EQ(o.released, 1);
	end();
}

static void never_killed(void)
{
	begin(0);
	percpu_ref_get(&o.ref);
	percpu_ref_put(&o.ref);
	end();
	CHECK_EQ(o.released, 0);
}

/* Counts of one CPU may be below zero, and beyond 32 bits. */
static void many(void)
{
	begin(0);
	for (unsigned i = 0; i < 16; i++) {
		ref_move(0);
		percpu_ref_get_many(&o.ref, 1ull << 30);
		CHECK(percpu_ref_tryget_many(&o.ref, 1ull << 31));
		ref_move(1);
		percpu_ref_put_many(&o.ref, 3ull << 30);
		CHECK_EQ(percpu_ref_val(&o.ref), 1);
	}
	percpu_ref_get_many(&o.ref, 1ull << 30);
	percpu_ref_kill(&o.ref);
	CHECK_EQ(percpu_ref_val(&o.ref), 1ll << 30);
	percpu_ref_put_many(&o.ref, (1ull << 30) - 1);
	CHECK_EQ(o.released, 0);
	percpu_ref_put(&o.ref);
	CHECK_EQ(o.released, 1);
	end();
}

static void dying(void)
{
	begin(0);
	percpu_ref_get(&o.ref);
	called = 0;
	percpu_ref_kill_and_confirm(&o.ref, note);
	CHECK_EQ(called, 1);
	CHECK(percpu_ref_is_dying(&o.ref) && !percpu_ref_is_zero(&o.ref));
	CHECK(!percpu_ref_tryget_live(&o.ref));
	CHECK(percpu_ref_tryget(&o.ref));
	percpu_ref_put(&o.ref);
	CHECK_EQ(o.released, 0);
	percpu_ref_put(&o.ref);
	CHECK_EQ(o.released, 1);
	CHECK(!percpu_ref_tryget(&o.ref) && !percpu_ref_tryget_live(&o.ref));
	percpu_ref_put_many(&o.ref, 0);
	CHECK_EQ(o.released, 1);
	CHECK_EQ(percpu_ref_val(&o.ref), 0);
	end();
}

/* Only those that were told so from the start come back. */
static void again(void)
{
	bool may = flags != 0;

	begin(0);
	CHECK_EQ(percpu_ref_reinit(&o.ref), may ? -EBUSY : -EINVAL);
	CHECK_EQ(percpu_ref_resurrect(&o.ref), -EINVAL);
	percpu_ref_get(&o.ref);
	percpu_ref_kill(&o.ref);
	CHECK_EQ(percpu_ref_reinit(&o.ref), may ? -EBUSY : -EINVAL);
	CHECK_EQ(percpu_ref_resurrect(&o.ref), may ? 0 : -EINVAL);
	CHECK_EQ(percpu_ref_val(&o.ref), may ? 2 : 1);
	CHECK_EQ(percpu_ref_tryget_live(&o.ref), may);
	if (may) {
		percpu_ref_put(&o.ref);
		percpu_ref_kill(&o.ref);
	}
	percpu_ref_put(&o.ref);
	CHECK_EQ(o.released, 1);
	CHECK_EQ(percpu_ref_resurrect(&o.ref), -EINVAL);
	CHECK_EQ(percpu_ref_reinit(&o.ref), may ? 0 : -EINVAL);
	if (may) {
		CHECK_EQ(percpu_ref_val(&o.ref), 1);
		CHECK(percpu_ref_tryget_live(&o.ref));
		percpu_ref_put(&o.ref);
		percpu_ref_kill(&o.ref);
		CHECK_EQ(o.released, 2);
	}
	end();
}

/* Also where more than once. */
static void switched(void)
{
	begin(PERCPU_REF_ALLOW_REINIT);
	percpu_ref_get_many(&o.ref, 6);
	called = 0;
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(percpu_ref_switch_to_atomic(&o.ref, note), 0);
		CHECK(!ref_is_percpu(&o.ref));
		CHECK_EQ(percpu_ref_val(&o.ref), 7);
		percpu_ref_get(&o.ref);
		percpu_ref_put_many(&o.ref, 2);
		CHECK_EQ(percpu_ref_switch_to_atomic(&o.ref, NULL), 0);
		CHECK_EQ(percpu_ref_val(&o.ref), 6);
		CHECK_EQ(percpu_ref_switch_to_percpu(&o.ref), 0);
		CHECK_EQ(ref_is_percpu(&o.ref),
			 ref_can() && (flags & PERCPU_REF_ADAPTIVE) == 0);
		CHECK_EQ(percpu_ref_switch_to_percpu(&o.ref), 0);
		percpu_ref_get(&o.ref);
		CHECK_EQ(percpu_ref_val(&o.ref), 7);
	}
	CHECK_EQ(called, 3);
	percpu_ref_kill(&o.ref);
	percpu_ref_put_many(&o.ref, 6);
	CHECK_EQ(o.released, 1);
	end();
	if (flags != 0)
		return;
	begin(0);
	CHECK_EQ(percpu_ref_switch_to_percpu(&o.ref), -EINVAL);
	end();
}

/* The owner's will outlasts a kill, and ends after one, too. */
static void sticky(void)
{
	begin(PERCPU_REF_ALLOW_REINIT);
	CHECK_EQ(percpu_ref_switch_to_atomic(&o.ref, NULL), 0);
	percpu_ref_kill(&o.ref);
	CHECK_EQ(percpu_ref_reinit(&o.ref), 0);
	CHECK(!ref_is_percpu(&o.ref));
	percpu_ref_kill(&o.ref);
	CHECK_EQ(percpu_ref_switch_to_percpu(&o.ref), 0);
	CHECK(!ref_is_percpu(&o.ref));
	CHECK_EQ(percpu_ref_reinit(&o.ref), 0);
	CHECK_EQ(ref_is_percpu(&o.ref),
		 ref_can() && (flags & PERCPU_REF_ADAPTIVE) == 0);
	percpu_ref_kill(&o.ref);
	CHECK_EQ(o.released, 3);
	end();
}

static void born_dead(void)
{
	begin(PERCPU_REF_INIT_DEAD);
	CHECK(percpu_ref_is_zero(&o.ref) && percpu_ref_is_dying(&o.ref));
	CHECK(!percpu_ref_tryget(&o.ref) && !percpu_ref_tryget_live(&o.ref));
	CHECK_EQ(percpu_ref_reinit(&o.ref), 0);
	CHECK(percpu_ref_tryget_live(&o.ref));
	percpu_ref_kill(&o.ref);
	percpu_ref_put(&o.ref);
	CHECK_EQ(o.released, 1);
	end();
	begin(PERCPU_REF_INIT_DEAD);
	end();
}

static void frees(struct percpu_ref *r)
{
	CHECK_EQ(percpu_ref_exit(r), 0);
	free(r);
	called++;
}

/* The library does not touch it afterwards: the sanitizer watches. */
static void freed_by_release(void)
{
	struct percpu_ref *r[40];

	called = 0;
	for (unsigned i = 0; i < 40; i++) {
		r[i] = malloc(sizeof(*r[i]));
		CHECK(r[i] != NULL);
		CHECK_EQ(percpu_ref_init(r[i], frees, flags), 0);
		if (i % 2 != 0)
			percpu_ref_get(r[i]);
	}
	for (unsigned i = 0; i < 10; i++)
		percpu_ref_kill(r[i]);
	percpu_ref_kill_many(r + 10, 30);
	CHECK_EQ(called, 20);
	for (unsigned i = 1; i < 40; i += 2)
		percpu_ref_put(r[i]);
	CHECK_EQ(called, 40);
	percpu_ref_kill_many(NULL, 0);
}

static void lives_again(struct percpu_ref *r)
{
	if (called++ == 0)
		CHECK_EQ(percpu_ref_reinit(r), 0);
}

static void reinit_in_release(void)
{
	if (flags == 0)
		return;
	called = 0;
	CHECK_EQ(percpu_ref_init(&o.ref, lives_again, flags), 0);
	percpu_ref_kill(&o.ref);
	CHECK_EQ(called, 1);
	CHECK(!percpu_ref_is_dying(&o.ref));
	CHECK_EQ(percpu_ref_val(&o.ref), 1);
	percpu_ref_kill(&o.ref);
	CHECK_EQ(called, 2);
	end();
}

/* What they count in goes back, at the kill or at exit; some is at hand. */
static void kept_nothing(void)
{
	size_t before;

	if ((flags & PERCPU_REF_ADAPTIVE) != 0)
		return;
	begin(0);
	percpu_ref_kill(&o.ref);
	end();
	before = live();
	for (unsigned i = 0; i < 100; i++) {
		begin(0);
		CHECK_EQ(live() > before,
			 (flags & ~(unsigned)PERCPU_REF_ALLOW_REINIT) == 0 &&
				 ref_can());
		if (i % 2 == 0)
			percpu_ref_kill(&o.ref);
		end();
		CHECK_EQ(live(), before);
	}
}

int main(int argc, char **argv)
{
	flags = ref_flags(argc, argv);
	CHECK_EQ(sizeof(struct percpu_ref), 16);
	refused();
	init_and_kill();
	never_killed();
	many();
	dying();
	again();
	switched();
	sticky();
	born_dead();
	freed_by_release();
	reinit_in_release();
	kept_nothing();
	return TEST_PASS;
}

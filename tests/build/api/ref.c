/* SPDX-License-Identifier: MIT */
/* Every name of ref.h, in C and, included by ref.cc, in C++. */
#include <percpu/ref.h>

#include "check.h"

#include <stddef.h>

struct object {
	int released;
	struct percpu_ref ref;
};

static void release(struct percpu_ref *r)
{
	struct object *o =
		(struct object *)(void *)((char *)r -
					  offsetof(struct object, ref));

	o->released++;
}

static void look(struct percpu_ref *r)
{
	CHECK(percpu_ref_val(r) > 0);
}

static void use(struct percpu_ref *r)
{
	percpu_ref_get(r);
	percpu_ref_get_many(r, 3);
	CHECK(percpu_ref_tryget(r) && percpu_ref_tryget_live(r));
	CHECK(percpu_ref_tryget_many(r, 2));
	percpu_ref_put_many(r, 7);
	percpu_ref_put(r);
}

static void live(unsigned flags)
{
	struct object o;
	struct percpu_ref *r = &o.ref;

	o.released = 0;
	CHECK_EQ(percpu_ref_init(r, release, flags), 0);
	use(r);
	CHECK_EQ(percpu_ref_switch_to_atomic(r, look), 0);
	use(r);
	CHECK_EQ(percpu_ref_switch_to_percpu(r), 0);
	percpu_ref_get(r);
	percpu_ref_kill_and_confirm(r, look);
	CHECK(percpu_ref_is_dying(r));
	CHECK_EQ(percpu_ref_resurrect(r), 0);
	percpu_ref_put(r);
	percpu_ref_kill(r);
	CHECK_EQ(percpu_ref_reinit(r), 0);
	use(r);
	percpu_ref_kill_many(&r, 1);
	CHECK(percpu_ref_is_zero(r));
	CHECK_EQ(o.released, 2);
	CHECK_EQ(percpu_ref_exit(r), 0);
}

int main(void)
{
	percpu_ref_fn *fn = release;
	struct percpu_ref dead;

	CHECK_EQ(sizeof(struct percpu_ref), 16);
	CHECK_EQ(percpu_ref_init(&dead, fn, PERCPU_REF_INIT_DEAD), 0);
	CHECK(!percpu_ref_tryget(&dead));
	CHECK_EQ(percpu_ref_exit(&dead), 0);
	live(PERCPU_REF_ALLOW_REINIT);
	live(PERCPU_REF_ADAPTIVE);
	live(PERCPU_REF_INIT_ATOMIC | PERCPU_REF_ALLOW_REINIT);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * References with the kernel's arguments, and with those of percpu/ref.h, in
 * one file: the last put releases, once.
 */
#include "check.h"

#include <percpu/kernel.h>

static unsigned released, confirmed;

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void confirm(struct percpu_ref *r)
{
	CHECK(!percpu_ref_tryget_live(r));
	confirmed++;
}

static void count_down(struct percpu_ref *r)
{
	percpu_ref_func_t *f = confirm;

	released = confirmed = 0;
	percpu_ref_get(r);
	percpu_ref_get_many(r, 2);
	CHECK(percpu_ref_tryget_live_rcu(r));
	percpu_ref_put(r);
	percpu_ref_kill_and_confirm(r, f);
	CHECK_EQ(confirmed, 1);
	CHECK(percpu_ref_is_dying(r) && percpu_ref_tryget(r));
	percpu_ref_put_many(r, 3);
	CHECK_EQ(released, 0);
	percpu_ref_put(r);
	CHECK_EQ(released, 1);
	CHECK(percpu_ref_is_zero(r) && !percpu_ref_tryget(r));
}

int main(void)
{
	struct percpu_ref r;

	CHECK_EQ(percpu_ref_init(&r, release, PERCPU_REF_ALLOW_REINIT,
				 GFP_KERNEL),
		 0);
	count_down(&r);
	percpu_ref_reinit(&r);
	percpu_ref_switch_to_atomic_sync(&r);
	percpu_ref_switch_to_percpu(&r);
	count_down(&r);
	percpu_ref_exit(&r);
	CHECK_EQ(percpu_ref_init(&r, release, PERCPU_REF_INIT_ATOMIC), 0);
	count_down(&r);
	percpu_ref_exit(&r);
	return TEST_PASS;
}

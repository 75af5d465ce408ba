/* SPDX-License-Identifier: MIT */
/*
 * stale-stepped.c: at each instruction of a switch to per CPU, or of a
 * resurrect, others may promote and demote the reference: it never counts in a
 * handle that is another's by then.
 */
#include "support.h"

#include "../alloc/stepped.h"

static struct percpu_ref ref, other;
static unsigned left; /* instructions until others come */
static bool came;

static void release(struct percpu_ref *r)
{
	(void)r;
}

/* The handle that the reference had goes to another one. */
static bool stepped_do(void)
{
	if (left-- > 0)
		return true;
	came = true;
	if (percpu_ref_tryget_live(&ref)) {
		ref_promote(&ref);
		percpu_ref_put(&ref);
		percpu__ref_adapt_settle();
		percpu__ref_adapt_settle();
	}
	ref_promote(&other);
	return false;
}

static void apart(void)
{
	percpu_ref_get(&ref);
	percpu_ref_get_many(&other, 3);
	CHECK_EQ(percpu_ref_val(&ref), 3);
	CHECK_EQ(percpu_ref_val(&other), 4);
	percpu_ref_put_many(&other, 3);
	percpu_ref_put_many(&ref, 2);
	percpu_ref_kill(&ref);
	percpu_ref_kill(&other);
	CHECK_EQ(percpu_ref_exit(&ref), 0);
	CHECK_EQ(percpu_ref_exit(&other), 0);
}

/* Whether others came at instruction @at of @call, before which is @setup. */
static bool step(unsigned at, void (*setup)(void), int (*call)(void))
{
	int ret;

	CHECK_EQ(percpu_ref_init(&ref, release, PERCPU_REF_ADAPTIVE), 0);
	CHECK_EQ(percpu_ref_init(&other, release, PERCPU_REF_ADAPTIVE), 0);
	percpu_ref_get(&ref);
	ref_promote(&ref);
	setup();
	left = at;
	came = false;
	stepped_start();
	ret = call();
	stepped_stop();
	CHECK_EQ(ret, 0);
	apart();
	return came;
}

static void to_atomic(void)
{
	CHECK_EQ(percpu_ref_switch_to_atomic(&ref, NULL), 0);
}

static int to_percpu(void)
{
	return percpu_ref_switch_to_percpu(&ref);
}

static void killed(void)
{
	percpu_ref_kill(&ref);
}

static int resurrect(void)
{
	return percpu_ref_resurrect(&ref);
}

int main(void)
{
	if (!ref_can())
		SKIP("nothing counts per CPU here");
	stepped_prepare();
	for (unsigned i = 0; step(i, to_atomic, to_percpu); i++)
		;
	for (unsigned i = 0; step(i, killed, resurrect); i++)
		;
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * killed-look.c: references that are killed while a look fences for them are
 * released after it, or, where the fence is refused, stay killed and go on to
 * be folded; but never without a fence that came after their marks.
 */
#include "support.h"

#include <errno.h>

#define FENCE 128
#define MANY 20u /* more than a look releases at a time */

int __real_percpu__os_membarrier(int cmd, unsigned flags, int cpu);
int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu);

static struct percpu_ref many[MANY], one;
static void (*in_fence)(void); /* once */
static bool refused;
static bool fenced; /* since the one was looked at */
static unsigned released;

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	void (*f)(void) = in_fence;

	if (cmd == FENCE && f != NULL) {
		in_fence = NULL;
		f();
	}
	if (cmd == FENCE && refused)
		return -ENOSYS;
	fenced = true;
	return __real_percpu__os_membarrier(cmd, flags, cpu);
}

static void kill_one(void)
{
	percpu_ref_kill(&one);
}

static void kill_many(void)
{
	for (unsigned i = 0; i < MANY; i++)
		percpu_ref_kill(&many[i]);
}

static void begin(struct percpu_ref *r, percpu_ref_fn *release)
{
	CHECK_EQ(percpu_ref_init(r, release, PERCPU_REF_ADAPTIVE), 0);
	ref_promote(r);
	CHECK(ref_is_percpu(r));
}

static void count(struct percpu_ref *r)
{
	(void)r;
	released++;
}

/* The other one, asked before, is idle, and killed, and has no fence. */
static void looked_at_in_vain(void)
{
	in_fence = kill_one;
	refused = true;
	percpu__ref_adapt_settle();
	refused = false;
	fenced = false;
	CHECK(percpu_ref_is_dying(&one));
	CHECK(!percpu_ref_tryget_live(&one));
	CHECK((ref_word(&one) & PERCPU__REF_FOLDING) != 0);
}

static void first_is_last(struct percpu_ref *r)
{
	if (released++ == 0)
		looked_at_in_vain();
	(void)r;
}

int main(void)
{
	if (!ref_can())
		SKIP("nothing counts per CPU here");
	for (unsigned i = 0; i < MANY; i++)
		begin(&many[i], first_is_last);
	percpu__ref_adapt_settle();
	begin(&one, count);
	in_fence = kill_many;
	percpu__ref_adapt_settle();
	CHECK_EQ(released, MANY);
	CHECK(fenced || (ref_word(&one) & PERCPU__REF_FOLDING) != 0);
	percpu__ref_adapt_settle();
	CHECK_EQ(ref_word(&one) & PERCPU__REF_FOLDING, 0);
	CHECK_EQ(percpu_ref_val(&one), 1);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * killed-look.c: a reference that another thread kills while a look fences for
 * it dies and is released once, whether that fence is refused or not; one whose
 * kill is refused, too, is never folded without a fence after its marks, by a
 * later look either.
 */
#include "support.h"

#include <errno.h>

#define FENCE 128
#define MANY 20u /* more than a look releases at a time */

int __real_percpu__os_membarrier(int cmd, unsigned flags, int cpu);
int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu);

static struct percpu_ref many[MANY], one;
static void (*in_fence)(void); /* once */
static bool refused;	       /* those of this thread */
static pthread_t looker;
static bool fenced; /* since the one was looked at */
static unsigned released;

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	void (*f)(void) = in_fence;

	if (cmd == FENCE && pthread_equal(pthread_self(), looker)) {
		in_fence = NULL;
		if (f != NULL)
			f();
		if (refused)
			return -ENOSYS;
	}
	fenced = true;
	return __real_percpu__os_membarrier(cmd, flags, cpu);
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
	__atomic_fetch_add(&released, 1, __ATOMIC_RELAXED);
}

static void *kills(void *arg)
{
	percpu_ref_kill(&one);
	return arg;
}

static pthread_t killer;

/* It waits for the look then, or folds after it. */
static void let_kill(void)
{
	CHECK(pthread_create(&killer, NULL, kills, NULL) == 0);
	while (!percpu_ref_is_dying(&one))
		sched_yield();
}

static void killed_by_another(bool look_refused)
{
	released = 0;
	begin(&one, count);
	percpu_ref_get(&one);
	percpu__ref_adapt_settle();
	in_fence = let_kill;
	refused = look_refused;
	percpu__ref_adapt_settle();
	refused = false;
	CHECK(pthread_join(killer, NULL) == 0);
	CHECK(!percpu_ref_tryget_live(&one));
	CHECK_EQ(percpu_ref_val(&one), 1);
	CHECK_EQ(released, 0);
	percpu_ref_put(&one);
	CHECK_EQ(released, 1);
	CHECK_EQ(percpu_ref_exit(&one), 0);
}

static void kill_one(void)
{
	percpu_ref_kill(&one);
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

/* A look that has more to release than at a time, and looks again. */
static void killed_in_vain(void)
{
	released = 0;
	for (unsigned i = 0; i < MANY; i++) {
		begin(&many[i], first_is_last);
		percpu_ref_put(&many[i]);
	}
	percpu__ref_adapt_settle();
	begin(&one, count);
	percpu__ref_adapt_settle();
	CHECK(released > 0);
	CHECK(fenced || (ref_word(&one) & PERCPU__REF_FOLDING) != 0);
	percpu__ref_adapt_settle();
	CHECK_EQ(released, MANY);
	CHECK_EQ(ref_word(&one) & PERCPU__REF_FOLDING, 0);
	CHECK_EQ(percpu_ref_val(&one), 1);
}

int main(void)
{
	if (!ref_can())
		SKIP("nothing counts per CPU here");
	looker = pthread_self();
	killed_by_another(false);
	killed_by_another(true);
	killed_in_vain();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * limit-threads.c: threads that take up to a limit by limited_add, and give
 * back by plain subs, are never seen above it, and never have more than it
 * together; nor while others set the tree to the limit and to zero; also of a
 * static tree that gets its per-CPU part meanwhile.
 */
#define TREE
#include "limited.h"

#include <sched.h>

#define LIMIT 3

static struct percpu_counter_tree counter =
	PERCPU_COUNTER_TREE_INITIALIZER(0, 2);
static int64_t held;
static unsigned refused;

/* held goes up after the tree and down before it. */
static void take(struct crowd_member *me)
{
	int64_t v = 1 + (int64_t)(crowd_random(me) % 3);

	if (!percpu_counter_tree_limited_add(&counter, LIMIT, v)) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		return;
	}
	CHECK(__atomic_add_fetch(&held, v, __ATOMIC_SEQ_CST) <= LIMIT);
	if (me->steps % 8 == 0)
		sched_yield(); /* for others to meet the limit */
	__atomic_fetch_sub(&held, v, __ATOMIC_SEQ_CST);
	percpu_counter_tree_sub(&counter, v);
}

static void set(struct crowd_member *me)
{
	int64_t v = crowd_random(me) % 2 == 0 ? LIMIT : 0;

	CHECK(percpu_counter_tree_exchange(&counter, v) <= LIMIT);
	for (unsigned i = 0; i < 4; i++)
		percpu_counter_tree_limited_add(&counter, LIMIT, 1);
}

static void run(void (*step)(struct crowd_member *), unsigned steps)
{
	static struct crowd c;

	for (unsigned k = 0; k < CROWD; k++)
		c.member[k] = (struct crowd_member){ 0 };
	c.step = step;
	c.steps = steps;
	crowd_run(&c);
}

static void check_filled(void)
{
	fill_up(LIMIT * 1000);
	CHECK_EQ(percpu_counter_tree_exchange(&counter, 0), LIMIT * 1000);
}

static void check_taken(void)
{
	refused = 0;
	run(take, 100000);
	CHECK_EQ(percpu_counter_tree_sum(&counter), 0);
	CHECK(refused != 0);
}

static void check_set(void)
{
	run(set, 20000);
	CHECK(percpu_counter_tree_exchange(&counter, 0) <= LIMIT);
	CHECK_EQ(percpu_counter_tree_sum(&counter), 0);
}

int main(void)
{
	check_filled();
	percpu_counter_tree_destroy(&counter);
	check_taken();
	percpu_counter_tree_destroy(&counter);
	check_set();
	CHECK(percpu_counter_tree_init(&counter, 0, 2) == 0);
	check_filled();
	check_taken();
	check_set();
	percpu_counter_tree_destroy(&counter);
	return TEST_PASS;
}

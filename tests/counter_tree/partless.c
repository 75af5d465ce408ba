/* SPDX-License-Identifier: MIT */
/*
 * partless.c: where memory is short, a tree does all without a per-CPU part,
 * exchange and limited_add of many threads as well, and gets one when there is
 * memory again: then nothing is lost.
 */
#include "check.h"
#include "crowd.h"
#include "no_memory.h"

#include <percpu/percpu.h>

#include <errno.h>

#define LIMIT 30

static struct percpu_counter_tree tree = PERCPU_COUNTER_TREE_INITIALIZER(2, 32);
static int64_t taken;

static void check_one(struct percpu_counter_tree *t)
{
	CHECK_EQ(percpu_counter_tree_exchange(t, 5), 2);
	percpu_counter_tree_add(t, 10);
	percpu_counter_tree_sync(t);
	CHECK_EQ(percpu_counter_tree_read(t), 15);
	CHECK_EQ(percpu_counter_tree_sum(t), 15);
	CHECK_EQ(percpu_counter_tree_error_bound(t), 0);
	CHECK(percpu_counter_tree_limited_add(t, 17, 2));
	CHECK(!percpu_counter_tree_limited_add(t, 17, 1));
	CHECK(!percpu_counter_tree_limited_add(t, 16, -2));
	CHECK(percpu_counter_tree_limited_add(t, 15, -2));
	CHECK(percpu_counter_tree_compare(t, 15) == 0);
	CHECK(percpu_counter_tree_read_compare(t, 14) == 1);
	CHECK(percpu_counter_tree_order(t, t) == 0);
	percpu_counter_tree_set(t, INT64_MAX);
	CHECK(!percpu_counter_tree_limited_add(t, INT64_MAX, 1));
	percpu_counter_tree_set(t, 2);
}

static void step(struct crowd_member *me)
{
	int64_t was;

	if (percpu_counter_tree_limited_add(&tree, LIMIT, 3))
		me->added += 3;
	for (unsigned i = 0; i < 2000; i++)
		percpu_counter_tree_add(&tree, i % 2 == 0 ? -1 : 1);
	if (me->steps % 16 != 0)
		return;
	was = percpu_counter_tree_exchange(&tree, 0);
	CHECK(was >= -(int64_t)CROWD && was <= LIMIT + (int64_t)CROWD);
	__atomic_fetch_add(&taken, was, __ATOMIC_RELAXED);
}

static void check_threads(void)
{
	static struct crowd c = { .step = step, .steps = 300 };

	percpu_counter_tree_set(&tree, 0);
	crowd_run(&c);
	CHECK_EQ(percpu_counter_tree_sum(&tree) + taken, crowd_added(&c));
	percpu_counter_tree_set(&tree, 2);
}

static void check_part(struct percpu_counter_tree *t)
{
	percpu_counter_tree_sync(t);
	percpu_counter_tree_inc(t);
	CHECK(percpu_counter_tree_error_bound(t) != 0);
	CHECK_EQ(percpu_counter_tree_exchange(t, 2), 3);
}

int main(void)
{
	struct percpu_counter_tree many[2];

	CHECK_EQ(percpu_counter_tree_init_many(many, 2, 4, 2), -ENOMEM);
	check_one(&tree);
	check_one(&many[1]);
	check_threads();
	memory_is_there = true;
	check_part(&tree);
	check_part(&many[1]);
	percpu_counter_tree_destroy_many(many, 2);
	percpu_counter_tree_destroy(&tree);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Counters with the kernel's arguments, and with those of percpu/counter.h, in
 * one file.
 */
#include "check.h"

#include <percpu/kernel.h>

#include <errno.h>

static void both_forms(void)
{
	struct percpu_counter a, b;

	CHECK_EQ(percpu_counter_init(&a, 5, GFP_KERNEL), 0);
	CHECK_EQ(percpu_counter_init(&b, 6), 0);
	CHECK(percpu_counter_initialized(&a) && percpu_counter_initialized(&b));
	percpu_counter_add(&a, 1000);
	percpu_counter_sub(&a, 1);
	percpu_counter_inc(&a);
	percpu_counter_dec(&b);
	CHECK_EQ(percpu_counter_sum(&a), 1005);
	CHECK_EQ(__percpu_counter_sum(&b), 5);
	CHECK_EQ(percpu_counter_compare(&a, 1005), 0);
	CHECK(__percpu_counter_compare(&a, 1006, percpu_counter_batch) < 0);
	percpu_counter_destroy(&a);
	percpu_counter_destroy(&a);
	CHECK(!percpu_counter_initialized(&a));
	percpu_counter_destroy(&b);
}

static void many(void)
{
	struct percpu_counter c[3], d[2];

	CHECK_EQ(percpu_counter_init_many(c, 7, GFP_KERNEL_ACCOUNT, 3), 0);
	CHECK_EQ(percpu_counter_init_many(d, 8, 2), 0);
	percpu_counter_add_batch(&c[2], 3, 16);
	__percpu_counter_add(&c[2], -2, 16);
	CHECK_EQ(percpu_counter_sum(&c[2]), 8);
	CHECK_EQ(percpu_counter_sum(&c[0]), 7);
	CHECK_EQ(percpu_counter_sum(&d[1]), 8);
	percpu_counter_destroy_many(c, 3);
	percpu_counter_destroy_many(d, 2);
}

/* Local adds, of more than a batch too, are in the sum. */
static void local(void)
{
	struct percpu_counter c;

	CHECK_EQ(percpu_counter_init(&c, 0, GFP_ATOMIC), 0);
	percpu_counter_add_local(&c, 1 << 20);
	percpu_counter_sub_local(&c, 1);
	CHECK_EQ(percpu_counter_sum_positive(&c), (1 << 20) - 1);
	percpu_counter_set(&c, -4);
	percpu_counter_sync(&c);
	CHECK(percpu_counter_read(&c) == -4);
	CHECK_EQ(percpu_counter_read_positive(&c), 0);
	CHECK(!percpu_counter_limited_add(&c, 5, 10));
	CHECK(percpu_counter_limited_add(&c, 5, 9));
	CHECK(!__percpu_counter_limited_add(&c, 5, 1, 32));
	CHECK_EQ(percpu_counter_sum(&c), 5);
	CHECK_EQ(percpu_counter_sum_all(&c), 5);
	percpu_counter_destroy(&c);
}

static void tree(void)
{
	struct percpu_counter_tree t[2], u;
	struct percpu_counter_tree_level_item *items =
		(struct percpu_counter_tree_level_item *)calloc(
			2, percpu_counter_tree_items_size());

	CHECK(items != NULL);
	CHECK_EQ(percpu_counter_tree_init(&u, items, 32, GFP_KERNEL), 0);
	percpu_counter_tree_add(&u, -3);
	CHECK(percpu_counter_tree_precise_sum(&u) == -3);
	CHECK_EQ(percpu_counter_tree_precise_sum_positive(&u), 0);
	percpu_counter_tree_destroy(&u);
	CHECK_EQ(percpu_counter_tree_init(&u, 3, 32), 0);
	CHECK_EQ(percpu_counter_tree_precise_sum(&u), 3);
	percpu_counter_tree_destroy(&u);
	CHECK(percpu_counter_tree_init_many(t, items, 2, 3, GFP_KERNEL) ==
	      -EINVAL);
	CHECK_EQ(percpu_counter_tree_init_many(t, items, 2, 4, GFP_KERNEL), 0);
	percpu_counter_tree_add(&t[1], 4096);
	CHECK(percpu_counter_tree_approximate_sum(&t[1]) > 0);
	CHECK(percpu_counter_tree_approximate_sum_positive(&t[0]) == 0);
	percpu_counter_tree_destroy_many(t, 2);
	CHECK_EQ(percpu_counter_tree_init_many(t, 3, 4, 2), 0);
	CHECK_EQ(percpu_counter_tree_precise_sum(&t[1]), 3);
	percpu_counter_tree_destroy_many(t, 2);
	free(items);
}

int main(void)
{
	int (*init)(struct percpu_counter *, int64_t) = &percpu_counter_init;

	CHECK(init != NULL);
	both_forms();
	many();
	local();
	tree();
	return TEST_PASS;
}

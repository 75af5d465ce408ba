/* SPDX-License-Identifier: MIT */
/*
 * limit.c: limited_add adds up to the limit and not beyond, from either side,
 * with what slots hold counted, at the ends of the range too; 0 is always
 * added. add_batch shows at once what is as large as the batch that it gets.
 */
#include "check.h"

#include <percpu/percpu.h>

static struct percpu_counter_tree tree = PERCPU_COUNTER_TREE_INITIALIZER(0, 64);

static void check(bool want, int64_t limit, int64_t v)
{
	int64_t sum = percpu_counter_tree_sum(&tree);

	CHECK_EQ(percpu_counter_tree_limited_add(&tree, limit, v), want);
	CHECK_EQ(percpu_counter_tree_sum(&tree), want ? sum + v : sum);
}

static void check_limits(void)
{
	percpu_counter_tree_add(&tree, 20);
	check(true, -50, 0);
	check(true, 100, 79);
	check(false, 100, 2);
	check(true, 100, 1);
	check(false, 100, 1);
	check(true, 100, 0);
	check(false, -100, -201);
	check(true, -100, -200);
	check(false, -100, -1);
	check(true, 1000000, 5000);
	check(false, 1000000, INT64_MAX);
	check(true, INT64_MAX, INT64_MAX - 4900);
	check(false, INT64_MAX, 1);
	percpu_counter_tree_set(&tree, INT64_MIN + 1);
	check(true, INT64_MIN, -1);
	check(false, INT64_MIN, -1);
	percpu_counter_tree_set(&tree, 0);
	check(false, INT64_MAX, INT64_MIN);
	check(true, INT64_MIN, INT64_MIN);
	percpu_counter_tree_set(&tree, 0);
}

/* By how much reads of this tree change when @v is added. */
static int64_t seen(int64_t v, int32_t batch)
{
	int64_t read = percpu_counter_tree_read(&tree);
	int64_t sum = percpu_counter_tree_sum(&tree);

	percpu_counter_tree_add_batch(&tree, v, batch);
	CHECK_EQ(percpu_counter_tree_sum(&tree), sum + v);
	return percpu_counter_tree_read(&tree) - read;
}

static void check_batches(void)
{
	int64_t bound = percpu_counter_tree_error_bound(&tree);

	CHECK_EQ(seen(16, 16), 16);
	CHECK_EQ(seen(-16, 16), -16);
	CHECK_EQ(seen(1, 1), 1);
	CHECK_EQ(seen(-1, 0), -1);
	CHECK_EQ(seen(3, INT32_MIN), 3);
	CHECK_EQ(seen(15, 16), 0);
	CHECK_EQ(seen(-15, 16), 0);
	CHECK_EQ(seen(INT32_MAX, INT32_MAX), INT32_MAX);
	CHECK_EQ(seen(0, 0), 0);
	CHECK(seen(1000, INT32_MAX) > 900);
	CHECK_EQ(percpu_counter_tree_error_bound(&tree), bound);
	percpu_counter_tree_set(&tree, 0);
}

int main(void)
{
	check_limits();
	percpu_counter_tree_destroy(&tree);
	check_limits();
	CHECK(percpu_counter_tree_init(&tree, 0, 64) == 0);
	check_batches();
	check_limits();
	percpu_counter_tree_destroy(&tree);
	return TEST_PASS;
}

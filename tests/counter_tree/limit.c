/* SPDX-License-Identifier: MIT */
/*
 * limit.c: limited_add adds up to the limit and not beyond, from either side,
 * with what slots hold counted, at the ends of the range too; 0 is always
 * added. add_batch shows at once what is as large as the batch that it gets.
 */
#define TREE
#include "limited.h"

static struct percpu_counter_tree counter =
	PERCPU_COUNTER_TREE_INITIALIZER(0, 64);

/* By how much reads of this tree change when @v is added. */
static int64_t seen(int64_t v, int32_t batch)
{
	int64_t read = percpu_counter_tree_read(&counter);
	int64_t sum = percpu_counter_tree_sum(&counter);

	percpu_counter_tree_add_batch(&counter, v, batch);
	CHECK_EQ(percpu_counter_tree_sum(&counter), sum + v);
	return percpu_counter_tree_read(&counter) - read;
}

static void check_batches(void)
{
	int64_t bound = percpu_counter_tree_error_bound(&counter);

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
	CHECK_EQ(percpu_counter_tree_error_bound(&counter), bound);
	percpu_counter_tree_set(&counter, 0);
}

int main(void)
{
	check_limits();
	percpu_counter_tree_destroy(&counter);
	check_limits();
	CHECK(percpu_counter_tree_init(&counter, 0, 64) == 0);
	check_batches();
	check_limits();
	percpu_counter_tree_destroy(&counter);
	return TEST_PASS;
}

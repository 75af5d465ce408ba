/* SPDX-License-Identifier: MIT */
/*
 * limit.c: limited_add adds up to the limit and not beyond, from either side,
 * with what slots hold counted, at the ends of the range too; 0 is always added.
 */
#include "limited.h"

/* Reads of one that is near an end, while the sum has wrapped to the other. */
static void check_wrapped(void)
{
	percpu_counter_set(&counter, INT64_MIN + 5);
	percpu_counter_sub(&counter, 15);
	CHECK_EQ(percpu_counter_sum(&counter), INT64_MAX - 9);
	check(false, INT64_MAX, 10);
	CHECK(percpu_counter_compare(&counter, 0) == 1);
	check(true, INT64_MAX, 9);
	percpu_counter_set(&counter, INT64_MAX - 5);
	percpu_counter_add(&counter, 15);
	CHECK_EQ(percpu_counter_sum(&counter), INT64_MIN + 9);
	check(false, INT64_MIN, -10);
	CHECK(percpu_counter_compare(&counter, 0) == -1);
	check(true, INT64_MIN, -9);
}

int main(void)
{
	percpu_counter_destroy(&counter);
	check_limits();
	percpu_counter_set(&counter, 0);
	crowd_pin(pthread_self(), 0);
	percpu_counter_destroy(&counter);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	check_limits();
	check_wrapped();
	percpu_counter_destroy(&counter);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * limit.c: limited_add adds up to the limit and not beyond, from either side,
 * with what slots hold counted, at the ends of the range too; 0 is always added.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>

static struct percpu_counter counter;

static void check(bool want, int64_t limit, int64_t v)
{
	int64_t sum = percpu_counter_sum(&counter);

	CHECK_EQ(percpu_counter_limited_add(&counter, limit, v), want);
	CHECK_EQ(percpu_counter_sum(&counter), want ? sum + v : sum);
}

static void check_limits(void)
{
	percpu_counter_add(&counter, 20);
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
	percpu_counter_set(&counter, INT64_MIN + 1);
	check(true, INT64_MIN, -1);
	check(false, INT64_MIN, -1);
	percpu_counter_set(&counter, 0);
	check(false, INT64_MAX, INT64_MIN);
	check(true, INT64_MIN, INT64_MIN);
}

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

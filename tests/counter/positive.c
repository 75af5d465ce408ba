/* SPDX-License-Identifier: MIT */
/*
 * positive.c: below zero, read_positive and sum_positive say 0, read and sum
 * what it is; above, all say the same.
 */
#include "check.h"

#include <percpu/percpu.h>

int main(void)
{
	struct percpu_counter c;

	CHECK(percpu_counter_init(&c, 3) == 0);
	CHECK_EQ(percpu_counter_read_positive(&c), 3);
	CHECK_EQ(percpu_counter_sum_positive(&c), 3);
	percpu_counter_sub(&c, 1000);
	CHECK_EQ(percpu_counter_read(&c), -997);
	CHECK_EQ(percpu_counter_sum(&c), -997);
	CHECK_EQ(percpu_counter_read_positive(&c), 0);
	CHECK_EQ(percpu_counter_sum_positive(&c), 0);
	percpu_counter_destroy(&c);
	return TEST_PASS;
}

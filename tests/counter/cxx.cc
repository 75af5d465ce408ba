/* SPDX-License-Identifier: MIT */
/*
 * cxx.cc: counters in C++: a static one with a value, arguments of other types,
 * and a batch that is a constant.
 */
#include "check.h"

#include <percpu/percpu.h>

static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(-4);

int main(void)
{
	percpu_counter_sync(&counter);
	percpu_counter_add(&counter, short(3));
	percpu_counter_sub(&counter, 5u);
	percpu_counter_inc(&counter);
	percpu_counter_dec(&counter);
	percpu_counter_add_batch(&counter, INT64_MAX, 7);
	CHECK_EQ(percpu_counter_sum(&counter), INT64_MAX - 6);
	return TEST_PASS;
}

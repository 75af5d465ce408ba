/* SPDX-License-Identifier: MIT */
/*
 * default.c: percpu_counter_batch is max(32, 2 x the CPUs on line), and a
 * program may set it.
 *
 * usage: default BATCH
 */
#include "check.h"

#include <percpu/percpu.h>

int main(int argc, char **argv)
{
	struct percpu_counter c;

	CHECK(argc == 2);
	CHECK_EQ(percpu_counter_batch, atoi(argv[1]));
	percpu_counter_batch = 1;
	CHECK(percpu_counter_init(&c, 0) == 0);
	CHECK_EQ(percpu_counter_error_bound(&c), 0);
	percpu_counter_inc(&c);
	CHECK_EQ(percpu_counter_read(&c), 1);
	percpu_counter_batch = 3;
	percpu_counter_inc(&c);
	CHECK_EQ(percpu_counter_error_bound(&c), 4 * percpu_nr_slots());
	percpu_counter_destroy(&c);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * compare.c: whatever slots hold that no read shows, also those of CPUs that
 * are not there, compare says what the sum is, next to it and far away: four
 * slots of 31 and -122 told are 2, greater than 0, with three CPUs on line.
 */
#include "check.h"
#include "counter.h"
#include "slot.h"

#include <percpu/percpu.h>

static struct percpu_counter counter;

/* What a CPU's adds leave: @v that it has not told. */
static void leave(unsigned slot, int64_t v)
{
	struct percpu__counter_slot *s =
		percpu__slot_object(percpu__counter_part(&counter), slot);

	s->total = (uint64_t)v;
}

static int sign(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static void check(int64_t from, int64_t to)
{
	for (int64_t v = from; v <= to; v++)
		CHECK_EQ(percpu_counter_compare(&counter, v),
			 sign(percpu_counter_sum(&counter), v));
}

int main(void)
{
	int64_t bound;

	CHECK(percpu_counter_init(&counter, 0) == 0);
	bound = percpu_counter_error_bound(&counter);
	CHECK(percpu_nr_slots() >= 8);
	percpu_counter_add(&counter, -122);
	for (unsigned i = 4; i < 8; i++)
		leave(i, 31);
	CHECK_EQ(percpu_counter_read(&counter), -122);
	CHECK_EQ(percpu_counter_sum(&counter), 2);
	CHECK_EQ(percpu_counter_compare(&counter, 0), 1);
	check(-2 * bound, 2 * bound);
	for (unsigned i = 0; i < percpu_nr_slots(); i++)
		leave(i, percpu_counter_batch - 1);
	check(-bound, 2 * bound);
	CHECK_EQ(percpu_counter_compare(&counter, INT64_MAX), -1);
	CHECK_EQ(percpu_counter_compare(&counter, INT64_MIN), 1);
	percpu_counter_set(&counter, INT64_MAX);
	CHECK_EQ(percpu_counter_compare(&counter, INT64_MAX), 0);
	percpu_counter_set(&counter, INT64_MIN);
	CHECK_EQ(percpu_counter_compare(&counter, INT64_MIN), 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * b19-bound.c: patchwork.kernel.org/comment/26329934: a cheap read was so far
 * off on many CPUs that the wrong process was killed. Here each of many slots is
 * a batch less one away, the same way: the read is off by no more than the
 * library's own bound, and compare is right next to a limit.
 */
#include "check.h"
#include "counter.h"
#include "slot.h"

#include <percpu/percpu.h>

#define BATCH 64

static struct percpu_counter counter;

static void fill(int64_t v)
{
	char *slot = percpu__slot_object(percpu__counter_part(&counter), 0);

	for (unsigned i = 0; i < percpu_nr_slots(); i++) {
		struct percpu__counter_slot *s =
			(void *)(slot + i * percpu_stride());

		s->total = s->told / 2 + (uint64_t)v;
	}
}

static void check(int64_t sum)
{
	int64_t off = percpu_counter_read(&counter) - sum;
	int64_t bound = percpu_counter_error_bound(&counter);

	CHECK_EQ(percpu_counter_sum(&counter), sum);
	/* Half of it, since nobody is in the middle of an add. */
	CHECK(off != 0 && off <= bound / 2 && -off <= bound / 2);
	for (int64_t limit = sum - 2; limit <= sum + 2; limit++)
		CHECK_EQ(percpu_counter_compare(&counter, limit),
			 sum < limit ? -1 : sum > limit);
	CHECK(percpu_counter_limited_add(&counter, sum + 1, 1));
	CHECK(!percpu_counter_limited_add(&counter, sum + 1, 1));
	CHECK(percpu_counter_limited_add(&counter, INT64_MIN, -1));
}

int main(void)
{
	int64_t slots = percpu_nr_slots();

	CHECK(slots >= 256);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	percpu_counter_add_batch(&counter, 0, BATCH);
	fill(BATCH - 1);
	check(slots * (BATCH - 1));
	fill(1 - BATCH);
	check(-slots * (BATCH - 1));
	percpu_counter_add_batch(&counter, 0, INT32_MAX);
	CHECK_EQ(percpu_counter_error_bound(&counter),
		 2 * slots * (INT32_MAX - 1));
	return TEST_PASS;
}

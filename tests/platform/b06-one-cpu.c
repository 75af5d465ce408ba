/* SPDX-License-Identifier: MIT */
/*
 * B06: a program that may run on one CPU, whose id is not 0, counts in that
 * CPU's slot: the count of its CPUs is 1 and is no bound on ids.
 */
#include "count.h"

int main(void)
{
	struct counting thread = { .cpu = -1 };
	uint64_t PERCPU *h;
	unsigned cpu;

	if (cpus_allowed(&cpu, 1) == 0 || cpu == 0)
		SKIP("only CPU 0 can be had");
	CHECK(pin(cpu));
	CHECK_EQ(percpu_this_cpu(), cpu);
	CHECK(percpu_nr_slots() > cpu);
	CHECK(percpu_this_slot() == cpu ||
	      percpu_backend(NULL) == PERCPU_MODE_SHARED);
	h = percpu_new(uint64_t);
	CHECK(h != NULL);
	count(&thread, 1, 100000, h, 100000);
	CHECK_EQ(walk_sum(h), 100000);
	if (percpu_backend(NULL) != PERCPU_MODE_SHARED)
		CHECK(*percpu_ptr(h, cpu) + *percpu_shared_ptr(h) == 100000);
	return TEST_PASS;
}

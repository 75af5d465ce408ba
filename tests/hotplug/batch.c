/* SPDX-License-Identifier: MIT */
/*
 * A refresh leaves the default batch of counters as the program has set it, and
 * sets it to max(32, 2 x the CPUs on line) where the library had.
 */
#include "cpus.h"

static int32_t wanted(void)
{
	int32_t online = 0;

	for (unsigned i = 0; i < percpu_nr_cpu_ids(); i++)
		online += percpu_cpu_online(i);
	return 2 * online > 32 ? 2 * online : 32;
}

int main(void)
{
	CHECK(percpu_cpus_refresh() == 0);
	CHECK_EQ(percpu_counter_batch, wanted());
	percpu_counter_batch = 5;
	CHECK(percpu_cpus_refresh() == 0);
	CHECK_EQ(percpu_counter_batch, 5);
	return TEST_PASS;
}

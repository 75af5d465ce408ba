/* SPDX-License-Identifier: MIT */
/*
 * B10: a program that starts on one CPU and is let onto others after its first
 * use adds exactly before and after, in their slots.
 */
#include "count.h"

#define ADDS 50000u
#define CPUS_MAX 4u

static cpu_set_t all;

static unsigned choose(struct counting *threads)
{
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < CPU_SETSIZE && n < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &all))
			threads[n++].cpu = (int)cpu;
	return n;
}

int main(void)
{
	struct counting threads[CPUS_MAX];
	uint64_t PERCPU *h;
	unsigned n;

	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		SKIP("more than %d CPUs", CPU_SETSIZE);
	n = choose(threads);
	if (n < 2)
		SKIP("one CPU is allowed");
	CHECK(pin((unsigned)threads[0].cpu));
	h = percpu_new(uint64_t);
	CHECK(h != NULL);
	count(threads, 1, ADDS, h, ADDS);

	CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
	count(threads, n, ADDS, h, (n + 1) * (uint64_t)ADDS);
	CHECK_EQ(walk_sum(h), (n + 1) * ADDS);
	if (percpu_backend(NULL) == PERCPU_MODE_SHARED)
		return TEST_PASS;
	for (unsigned i = 0; i < n; i++)
		CHECK(*percpu_ptr(h, (unsigned)threads[i].cpu) > 0);
	return TEST_PASS;
}

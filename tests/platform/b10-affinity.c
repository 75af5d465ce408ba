/* SPDX-License-Identifier: MIT */
/*
 * B10: a program that starts on one CPU and is let onto others after its first
 * use adds exactly before and after, in their slots.
 */
#include "count.h"

#define ADDS 50000u
#define CPUS_MAX 4u

int main(void)
{
	struct counting threads[CPUS_MAX];
	unsigned cpus[CPUS_MAX];
	unsigned n = cpus_allowed(cpus, CPUS_MAX);
	uint64_t PERCPU *h;

	if (n < 2)
		SKIP("one CPU is allowed");
	for (unsigned i = 0; i < n; i++)
		threads[i].cpu = (int)cpus[n - 1 - i];
	CHECK(pin(cpus[n - 1]));
	h = percpu_new(uint64_t);
	CHECK(h != NULL);
	CHECK(percpu_nr_slots() > cpus[0]);
	count(threads, 1, ADDS, h, ADDS);

	/* The threads let themselves onto theirs. */
	count(threads, n, ADDS, h, (n + 1) * (uint64_t)ADDS);
	CHECK_EQ(walk_sum(h), (n + 1) * ADDS);
	if (percpu_backend(NULL) == PERCPU_MODE_SHARED)
		return TEST_PASS;
	for (unsigned i = 0; i < n; i++)
		CHECK(*percpu_ptr(h, cpus[i]) > 0);
	return TEST_PASS;
}

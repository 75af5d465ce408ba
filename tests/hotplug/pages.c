/* SPDX-License-Identifier: MIT */
/*
 * Pages of a gone CPU's unit on which no object lies go back to the system, also
 * those of objects that this CPU had at hand. What lives stays, can be read
 * while the CPU is gone, and goes on when it is back.
 */
#include "cpus.h"
#include "tasks.h"

enum { OBJECTS = 20000 };

static uint64_t PERCPU *h[OBJECTS];

int main(void)
{
	unsigned left = allowed_cpu(1);
	uint64_t PERCPU *kept;
	struct percpu_alloc_stats stats;
	const char *why;
	size_t had;

	if (getenv("PERCPU_INDEX") != NULL ||
	    percpu_backend(&why) == PERCPU_MODE_SHARED)
		SKIP("slots are no CPUs");
	if (getenv("PERCPU_DEBUG") != NULL)
		SKIP("what is free is kept");
	if (others_may_use(left))
		SKIP("an emulator's thread keeps this CPU from being gone");
	go_to(left);
	kept = percpu_new(uint64_t);
	CHECK(kept != NULL);
	percpu_add(kept, 7);
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = percpu_new(uint64_t);
		CHECK(h[i] != NULL);
		*percpu_ptr(h[i], left) = 1;
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[i]);
	had = percpu_alloc_populated(left);
	CHECK(had >= OBJECTS * sizeof(uint64_t));
	go_to(allowed_cpu(0));
	CHECK(percpu_cpus_refresh() == 0);
	percpu_alloc_stats(&stats);
	if (percpu_backend(&why) == PERCPU_MODE_RSEQ && percpu_fence() == 0)
		CHECK_EQ(stats.cached, 0);
	CHECK(percpu_alloc_populated(left) <= had / 4);
	CHECK_EQ(*percpu_ptr(kept, left), 7);
	go_to(left);
	percpu_add(kept, 1);
	CHECK_EQ(percpu_sum(kept), 8);
	percpu_free(kept);
	return TEST_PASS;
}

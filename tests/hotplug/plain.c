/* SPDX-License-Identifier: MIT */
/*
 * What the program has allocated stays as it is in the slot of a CPU that is
 * gone, also where a counter was before.
 */
#include "cpus.h"

#include <string.h>

enum { OBJECTS = 6, EACH = 40, WORDS = 3 * EACH };

static struct percpu_counter c[OBJECTS][EACH];
static uint64_t PERCPU *h[OBJECTS];

static void fill(unsigned cpu)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = (uint64_t PERCPU *)percpu_alloc(WORDS * sizeof(uint64_t),
						       sizeof(uint64_t));
		CHECK(h[i] != NULL);
		for (unsigned w = 0; w < WORDS; w++)
			percpu_ptr(h[i], cpu)[w] = 4;
	}
}

static void check(unsigned cpu)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		for (unsigned w = 0; w < WORDS; w++)
			CHECK_EQ(percpu_ptr(h[i], cpu)[w], 4);
}

int main(void)
{
	unsigned left = allowed_cpu(1);

	if (percpu_nr_slots() != percpu_nr_cpu_ids())
		SKIP("slots are no CPUs");
	go_to(left);
	for (unsigned i = 0; i < OBJECTS; i++)
		CHECK(percpu_counter_init_many(c[i], 0, EACH) == 0);
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_counter_destroy_many(c[i], EACH);
	fill(left);
	go_to(allowed_cpu(0));
	CHECK(percpu_cpus_refresh() == 0);
	check(left);
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[i]);
	return TEST_PASS;
}

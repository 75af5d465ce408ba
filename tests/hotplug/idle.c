/* SPDX-License-Identifier: MIT */
/*
 * Pages that stay free go back to the system by themselves also where a program
 * looks for gone CPUs all the time.
 */
#include "cpus.h"

enum { OBJECTS = 100, BYTES = 4000, STEPS = 8 };

static char PERCPU *h[OBJECTS];

/* Two seconds more each time that it is set. */
static uint64_t now = 1000;

uint64_t __wrap_percpu__os_seconds(void);

uint64_t __wrap_percpu__os_seconds(void)
{
	return now;
}

static char PERCPU *new_one(void)
{
	char PERCPU *p = percpu_alloc(BYTES, 8);

	CHECK(p != NULL);
	return p;
}

int main(void)
{
	unsigned slot;
	size_t had;

	if (getenv("PERCPU_DEBUG") != NULL)
		SKIP("what is free is kept");
	go_to(allowed_cpu(0));
	slot = percpu_this_slot();
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = new_one();
		memset(percpu_ptr(h[i], slot), 1, BYTES);
	}
	had = percpu_alloc_populated(slot);
	CHECK(had >= OBJECTS * BYTES);
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[i]);
	for (unsigned i = 0; i < STEPS; i++) {
		now += 2;
		CHECK(percpu_cpus_refresh() == 0);
		percpu_free(new_one());
	}
	CHECK(percpu_alloc_populated(slot) <= had / 4);
	return TEST_PASS;
}

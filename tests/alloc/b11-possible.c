/* SPDX-License-Identifier: MIT */
/*
 * B11: 256 CPUs are possible, two are there: 10,000 objects of 8 bytes, each
 * touched on this CPU alone, cost memory for the CPUs that touch them and not
 * for those that may come; every slot reads zero, also when the memory is
 * given out again, and reading costs nothing. Started with possible CPUs 0-255.
 */
#include "slots.h"

#include "memory.h"

#include <sched.h>

#define OBJECTS 10000u
#define CPUS 2u

static uint64_t PERCPU *h[OBJECTS];
static size_t before;

/* What @cpus slots of all objects may take, and the books of the chunks. */
static size_t bound(unsigned cpus)
{
	size_t units = OBJECTS * sizeof(uint64_t) / percpu_stride() + 1;
	size_t page = 4096;

	return (cpus * (OBJECTS * sizeof(uint64_t) + units * page)) +
	       units * 4 * page;
}

static void check_resident(const char *when)
{
	size_t grown = resident() - before;

	printf("%s: %zu KiB resident\n", when, grown / 1024);
	if (grown > bound(CPUS))
		FAIL("%s: %zu bytes resident, %zu at most", when, grown,
		     bound(CPUS));
}

static void check_zero(unsigned first_slot)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		for (unsigned s = first_slot; s <= percpu_nr_slots(); s++)
			CHECK_EQ(*percpu_ptr(h[i], s), 0);
}

static void alloc_all(void)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = percpu_new(uint64_t);
		CHECK(h[i] != NULL);
	}
}

static void touch_all(void)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_inc(h[i]);
}

static void free_all(void)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[i]);
}

int main(void)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer counts with us");
	/* The first of all faults in code and libc's tables. */
	percpu_free(percpu_new(uint64_t));
	CHECK_EQ(percpu_nr_slots(), 256);
	memset(h, 1, sizeof(h));
	resident();
	before = resident();
	alloc_all();
	touch_all();
	check_resident("touched");
	check_zero(CPUS);
	check_resident("read");
	for (unsigned i = 0; i < OBJECTS; i++)
		CHECK_EQ(percpu_sum(h[i]), 1);
	check_resident("summed");
	free_all();
	alloc_all();
	check_resident("given out again");
	check_zero(0);
	/* A CPU never run on: written by hand, zero when it comes again. */
	*percpu_ptr(h[77], 200) = 1;
	free_all();
	alloc_all();
	check_zero(0);
	return TEST_PASS;
}

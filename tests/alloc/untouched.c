/* SPDX-License-Identifier: MIT */
/*
 * With 256 possible CPUs, slots of CPUs that never ran here: what was written
 * there through percpu_ptr() is zero when it is had again, and allocating,
 * making zero, freeing and summing make no page resident in a slot that nobody
 * wrote to. Started with possible CPUs 0-255.
 */
#include "pages.h"

#define OBJECTS 10000u
#define FOREIGN 100u /* the first slot of CPUs that never ran here */
#define STEP 37u     /* from a slot that is written to the next one */

static uint64_t PERCPU *h[OBJECTS];

static bool is_written(unsigned slot)
{
	return slot >= FOREIGN && (slot - FOREIGN) % STEP == 0;
}

static void take_all(void)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		h[i] = (uint64_t PERCPU *)must_alloc(sizeof(uint64_t), 8);
}

/* From the newest, the oldest, or every other one first. */
static void give_all(unsigned round)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		unsigned at = i;

		if (round % 3 == 1)
			at = OBJECTS - 1 - i;
		else if (round % 3 == 2)
			at = (unsigned)((uint64_t)i * 7919 % OBJECTS);
		percpu_free(h[at]);
	}
}

static void write_foreign(uint64_t value)
{
	for (unsigned slot = FOREIGN; slot <= percpu_nr_slots(); slot += STEP)
		for (unsigned i = 0; i < OBJECTS; i++)
			*percpu_ptr(h[i], slot) = value;
}

static void check_all(uint64_t foreign)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		for (unsigned s = 0; s <= percpu_nr_slots(); s++)
			CHECK_EQ(*percpu_ptr(h[i], s),
				 is_written(s) ? foreign : 0);
}

static void sum_all(uint64_t foreign)
{
	uint64_t slots = (percpu_nr_slots() - FOREIGN) / STEP + 1;

	for (unsigned i = 0; i < OBJECTS; i++)
		CHECK_EQ(percpu_sum(h[i]), slots * foreign);
}

/* Untouched slots have nothing, written ones no more than objects take. */
static void check_pages(const char *when)
{
	for (unsigned s = 0; s <= percpu_nr_slots(); s++) {
		size_t bytes = percpu_alloc_populated(s);

		if (bytes > (is_written(s) ? OBJECTS * 8 + 4 * page_size() : 0))
			FAIL("%s: %zu bytes in slot %u", when, bytes, s);
	}
}

/* What the kernel counts over all memory grows by @most bytes at most. */
static void check_grown(const char *when, size_t before, size_t most)
{
	size_t now = resident();

	if (now > before + most)
		FAIL("%s: %zu bytes more", when, now - before);
}

static void round_trip(unsigned round)
{
	size_t before = resident();
	size_t few = 32 * page_size(); /* books and caches */

	give_all(round);
	check_pages("freed");
	take_all();
	check_pages("had again");
	check_all(0);
	sum_all(0);
	check_pages("read");
	check_grown("had again", before, few);
	write_foreign(round + 1);
	check_all(round + 1);
	sum_all(round + 1);
	check_pages("written");
	check_grown("written", before, few);
}

int main(void)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer counts with us");
	if (!tells_read_pages())
		SKIP("pages that were read count as others do here");
	CHECK_EQ(percpu_nr_slots(), 256);
	memset(h, 1, sizeof(h));
	take_all();
	check_pages("allocated");
	CHECK_EQ(populated(), 0);
	sum_all(0);
	CHECK_EQ(populated(), 0);
	write_foreign(1);
	check_pages("written");
	for (unsigned round = 0; round < 4; round++)
		round_trip(round);
	return TEST_PASS;
}

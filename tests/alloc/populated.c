/* SPDX-License-Identifier: MIT */
/*
 * percpu_alloc_populated() is the bytes of the pages that were written in one
 * slot, over all chunks, and of no others: not of pages that were read only,
 * nor of other slots, nor of what was given back. It is 0 for no slot.
 */
#include "pages.h"

#include <limits.h>

#define CHUNKS 3u
#define PAGES 5u

static char PERCPU *h[CHUNKS];

/* Before there is a chunk. */
static void check_nothing(void)
{
	for (unsigned slot = 0; slot <= percpu_nr_slots(); slot++)
		CHECK_EQ(percpu_alloc_populated(slot), 0);
}

static void check_no_slot(void)
{
	CHECK_EQ(percpu_alloc_populated(percpu_nr_slots() + 1), 0);
	CHECK_EQ(percpu_alloc_populated(percpu_nr_slots() + 2), 0);
	CHECK_EQ(percpu_alloc_populated(UINT_MAX), 0);
	CHECK_EQ(percpu_alloc_populated(UINT_MAX - 1), 0);
}

/* A page more at a time, in one slot after the other, chunk by chunk. */
static void check_written(void)
{
	unsigned last = percpu_nr_slots();
	size_t want = 0;

	for (unsigned i = 0; i < CHUNKS; i++)
		for (unsigned page = 0; page < PAGES; page++) {
			percpu_ptr(h[i], last)[page * page_size()] = 1;
			want += page_size();
			CHECK_EQ(percpu_alloc_populated(last), want);
			CHECK_EQ(populated(), want);
		}
	percpu_ptr(h[1], 0)[3 * page_size() - 1] = 1;
	CHECK_EQ(percpu_alloc_populated(0), page_size());
	CHECK_EQ(percpu_alloc_populated(last), want);
	CHECK_EQ(populated(), want + page_size());
}

/* The second byte of a page that is there is not a second page. */
static void check_written_again(void)
{
	size_t before = populated();

	for (size_t i = 0; i < page_size(); i++)
		percpu_ptr(h[0], percpu_nr_slots())[i] = 1;
	CHECK_EQ(populated(), before);
}

static void check_read(void)
{
	size_t before = populated();
	volatile char sum = 0;
	char *slot;

	percpu_for_each_slot (slot, h[2])
		for (size_t i = 0; i < percpu_max_size(); i += page_size())
			sum = (char)(sum + slot[i]);
	for (size_t i = 0; i < percpu_max_size(); i += 64)
		sum = (char)(sum + percpu_sum(&h[2][i]));
	CHECK(!tells_read_pages() || populated() == before);
}

static void check_given_back(void)
{
	for (unsigned i = 0; i < CHUNKS; i++)
		percpu_free(h[i]);
	percpu_trim();
	check_nothing();
}

int main(void)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer writes with us");
	check_nothing();
	check_no_slot();
	for (unsigned i = 0; i < CHUNKS; i++)
		h[i] = must_alloc(percpu_max_size(), 1);
	check_nothing();
	check_written();
	check_written_again();
	check_no_slot();
	check_read();
	check_given_back();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Conformance 26: percpu_trim() gives back the pages that no object lies in, in
 * every slot, and says how many bytes that were; objects are as they were, what
 * is had of those pages again is zero, and a second trim finds nothing.
 */
#include "cpus.h"
#include "pages.h"

/* Units that are filled with objects of a quarter of a page. */
#define CHUNKS 3u
#define KEPT 64u /* every so-many-th stays */
#define OBJECTS_MAX 16384u

static char PERCPU *h[OBJECTS_MAX];
static unsigned count;
static size_t size;

static void take_all(void)
{
	for (unsigned i = 0; i < count; i++) {
		if (h[i] != NULL)
			continue;
		h[i] = must_alloc(size, 8);
		CHECK(is_filled(h[i], size, 0));
		fill(h[i], size, (int)(1 + i % 255));
	}
}

static void thin_out(unsigned keep)
{
	for (unsigned i = 0; i < count; i++) {
		if (h[i] == NULL || (keep != 0 && i % keep == 0))
			continue;
		percpu_free(h[i]);
		h[i] = NULL;
	}
}

static void check_kept(void)
{
	for (unsigned i = 0; i < count; i++)
		if (h[i] != NULL)
			CHECK(is_filled(h[i], size, (int)(1 + i % 255)));
}

/* Pages of a unit in which live objects lie; each is one page of its own. */
static size_t pages_kept(void)
{
	size_t pages = 0;

	for (unsigned i = 0; i < count; i++)
		pages += h[i] != NULL;
	return pages;
}

/* Says how much it was, and it was that much. */
static size_t trim(void)
{
	size_t slots_before = populated();
	size_t before = resident();
	size_t said = percpu_trim();
	size_t after = resident();
	size_t slots = slots_before - populated();

	printf("%zu KiB less, %zu in slots, %zu said\n",
	       (before - after) / 1024, slots / 1024, said / 1024);
	/* Books that go with their chunk are given back too. */
	CHECK(said >= slots);
	CHECK(said <= slots + CHUNKS * 200 * 1024);
	/* A page or two of the heap or of books may come meanwhile. */
	CHECK(before - after <= said && said <= before - after + 16 * 4096);
	return said;
}

static void check_thinned(void)
{
	thin_out(KEPT);
	CHECK(trim() > 0);
	check_kept();
	for (unsigned slot = 0; slot <= percpu_nr_slots(); slot++)
		CHECK_EQ(percpu_alloc_populated(slot),
			 pages_kept() * page_size());
	CHECK_EQ(percpu_trim(), 0);
	CHECK_EQ(percpu_trim(), 0);
}

int main(void)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer counts with us");
	stay_here(); /* another CPU would take from a chunk of its own */
	CHECK_EQ(percpu_trim(), 0); /* before there is anything */
	size = page_size() / 4;
	count = CHUNKS * (unsigned)(percpu_max_size() / size);
	CHECK(count < OBJECTS_MAX);
	take_all();
	CHECK_EQ(percpu_alloc_populated(0), CHUNKS * percpu_max_size());
	CHECK_EQ(percpu_trim(), 0); /* nothing is free */
	for (unsigned round = 0; round < 3; round++) {
		check_thinned();
		take_all();
		check_kept();
	}
	thin_out(0);
	CHECK(trim() >= (percpu_nr_slots() + 1) * CHUNKS * percpu_max_size());
	CHECK_EQ(populated(), 0);
	CHECK_EQ(percpu_trim(), 0);
	return TEST_PASS;
}

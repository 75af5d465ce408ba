/* SPDX-License-Identifier: MIT */
/*
 * Conformance 16 and 17: a chunk that is filled to the last byte with objects
 * of 16 bytes; where 1 KiB of them is freed, anywhere, also across pages, 1 KiB
 * is had, and no new chunk is made for it.
 *
 * (Linux hid such room for seven years: a hint was computed with the start in
 * the coordinates of the chunk, and the end in those of the page.)
 */
#include "books.h"
#include "slots.h"

#include "cpus.h"

#define SMALL ((size_t)16)
#define RUN ((size_t)1024)
#define OBJECTS_MAX ((size_t)1 << 17)

static uintptr_t h[OBJECTS_MAX]; /* in ascending order */
static size_t count;

static int compare(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a;
	uintptr_t y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

/* Take objects [first, first + n) of the array anew. */
static void take(size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		h[i] = (uintptr_t)must_alloc(SMALL, 8);
	qsort(h + first, n, sizeof(*h), compare);
}

static void give(size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		percpu_free((char PERCPU *)h[i]);
}

static void fill_chunk(void)
{
	struct books books;

	count = percpu_max_size() / SMALL;
	CHECK(count <= OBJECTS_MAX);
	take(0, count);
	books = books_now();
	CHECK_EQ(books.chunks, 1);
	CHECK_EQ(books.largest_free, 0);
	for (size_t i = 1; i < count; i++)
		CHECK_EQ(h[i], h[0] + i * SMALL);
}

static void check_run(size_t at)
{
	size_t first = at / SMALL;
	size_t n = RUN / SMALL;
	uintptr_t where = h[first];
	char PERCPU *run;

	give(first, n);
	run = must_alloc(RUN, PERCPU_LINE);
	CHECK_EQ((uintptr_t)run, where);
	CHECK_EQ(books_now().chunks, 1);
	CHECK(is_filled(run, RUN, 0));
	fill(run, RUN, 1);
	percpu_free(run);
	take(first, n);
	CHECK_EQ(h[first], where);
	CHECK_EQ(books_now().chunks, 1);
}

int main(void)
{
	size_t end = percpu_max_size() - RUN;

	if (!OBJECTS_ARE_PLAIN)
		SKIP("a sanitizer's red zones lie between objects");
	/* What is freed is at hand for this CPU alone. */
	stay_here();
	fill_chunk();
	for (size_t at = 0; at <= end && at < 40 * RUN; at += RUN)
		check_run(at);
	for (size_t at = 4096 - RUN; at < 3 * 4096 && at <= end;
	     at += PERCPU_LINE)
		check_run(at);
	for (size_t at = 8 * RUN + RUN / 2; at <= end; at += 37 * RUN)
		check_run(at);
	check_run(end);
	check_run(0);
	return TEST_PASS;
}

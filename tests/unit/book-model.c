/* SPDX-License-Identifier: MIT */
#include "book-model.h"

#include "bits.h"
#include "check.h"
#include "object.h"

#include <string.h>

#define GRAINS_MAX 16384u

/* Where best fit begins, by the words of book.c. */
#define LARGE 256u

struct percpu__geometry percpu__chunk_geometry;
struct percpu__chunk *book;

#define g percpu__chunk_geometry

/* What a grain is. */
enum grain { FREE, TAKEN, STARTS };

static uint8_t grain[GRAINS_MAX];
static uint32_t size[GRAINS_MAX];  /* of the object that starts there */
static bool live[GRAINS_MAX];	   /* the same */
static uint32_t fresh[GRAINS_MAX]; /* of each page: grains given out of it */
static uint32_t objects[GRAINS_MAX];
static unsigned object_count;

void model_open(uint32_t pages, uint32_t page_log)
{
	memset(grain, FREE, sizeof(grain));
	memset(live, 0, sizeof(live));
	memset(fresh, 0, sizeof(fresh));
	object_count = 0;
	g.pages = pages;
	g.page_log = page_log;
	g.grains = pages << page_log;
	CHECK(g.grains <= GRAINS_MAX);
	book = calloc(1, sizeof(*book));
	CHECK(book != NULL);
	book->base = (char *)(uintptr_t)(1u << 30);
	book->free = g.grains;
	book->room = g.grains;
	book->gives = 1;
	book->pages = calloc(pages, sizeof(*book->pages));
	book->used = calloc(percpu__bits_words(g.grains), sizeof(*book->used));
	book->cells = calloc(g.grains / PERCPU__CELL_GRAINS, 1);
	CHECK(book->pages != NULL && book->used != NULL && book->cells != NULL);
}

void model_close(void)
{
	free(book->pages);
	free(book->used);
	free(book->cells);
	free(book);
}

unsigned model_objects(void)
{
	return object_count;
}

uint32_t model_object(unsigned i)
{
	return objects[i];
}

static uint32_t run_end(uint32_t at)
{
	while (at < g.grains && grain[at] == FREE)
		at++;
	return at;
}

uint32_t model_longest(void)
{
	uint32_t longest = 0;

	for (uint32_t at = 0; at < g.grains; at++) {
		uint32_t end = run_end(at);

		if (end - at > longest)
			longest = end - at;
		at = end;
	}
	return longest;
}

/* Where the next object belongs; all grains if nowhere. */
static uint32_t fit(uint32_t grains, uint32_t align, bool best)
{
	uint32_t shortest = UINT32_MAX;
	uint32_t found = g.grains;

	for (uint32_t at = 0; at < g.grains; at++) {
		uint32_t end = run_end(at);
		uint32_t first = (at + align - 1) / align * align;

		if (first + grains <= end && end - at < shortest) {
			shortest = end - at;
			found = first;
			if (!best)
				break;
		}
		at = end;
	}
	return found;
}

/* Whether some of [at, end) was given out since its page was fresh. */
static bool soil(uint32_t at, uint32_t end)
{
	bool dirty = false;

	for (; at < end; at++) {
		uint32_t page = at >> g.page_log;
		uint32_t in_page = at & ((1u << g.page_log) - 1);

		dirty |= in_page < fresh[page];
		if (in_page >= fresh[page])
			fresh[page] = in_page + 1;
	}
	return dirty;
}

static uint64_t enter(uint32_t at, uint32_t grains)
{
	bool dirty = soil(at, at + grains);

	memset(grain + at, TAKEN, grains);
	grain[at] = STARTS;
	size[at] = grains;
	live[at] = false;
	objects[object_count++] = at;
	return ((uintptr_t)book->base + (uint64_t)at * PERCPU__GRAIN) |
	       (dirty ? PERCPU__DIRTY : 0);
}

unsigned model_take(uint32_t grains, uint32_t align, unsigned want)
{
	uint64_t items[BATCH_MAX];
	unsigned n = percpu__book_take(book, grains, align, want, items);
	bool best = want == 1 && grains > LARGE;

	for (unsigned i = 0; i < want; i++) {
		uint32_t at = fit(grains, align, best);

		if (at == g.grains) {
			CHECK_EQ(n, i);
			CHECK(book->room < grains || model_longest() >= grains);
			break;
		}
		CHECK(i < n);
		CHECK_EQ(items[i], enter(at, grains));
	}
	return n;
}

void model_set_live(unsigned i, bool on)
{
	uint32_t at = objects[i];
	uint8_t *cell = book->cells + at / PERCPU__CELL_GRAINS;
	uint8_t byte = percpu__cell_load(cell);
	const char *h = book->base + (size_t)at * PERCPU__GRAIN;
	uint8_t bit = percpu__object_bit(h, byte);

	live[at] = on;
	if (on)
		percpu__object_set(cell, byte, bit);
	else
		percpu__object_clear(cell, byte, bit);
}

static void leave(unsigned i)
{
	uint32_t at = objects[i];

	memset(grain + at, FREE, size[at]);
	objects[i] = objects[--object_count];
}

static unsigned find_object(uint32_t at)
{
	unsigned i = 0;

	while (objects[i] != at)
		i++;
	return i;
}

void model_give(const uint32_t *at, unsigned n)
{
	uint64_t items[BATCH_MAX];
	uint64_t gives = book->gives;

	for (unsigned i = 0; i < n; i++) {
		items[i] = ((uintptr_t)book->base +
			    (uint64_t)at[i] * PERCPU__GRAIN) |
			   PERCPU__DIRTY;
		model_set_live(find_object(at[i]), false);
		leave(find_object(at[i]));
	}
	percpu__book_give(book, items, n);
	CHECK(book->gives != gives);
}

bool model_take_pages(uint32_t page, uint32_t n)
{
	uint32_t at = page << g.page_log;
	uint32_t grains = n << g.page_log;

	if (run_end(at) < at + grains)
		return false;
	memset(grain + at, TAKEN, grains);
	percpu__book_take_pages(book, page, n);
	return true;
}

void model_give_pages(uint32_t page, uint32_t n, bool is_fresh)
{
	memset(grain + (page << g.page_log), FREE, n << g.page_log);
	for (uint32_t p = page; is_fresh && p < page + n; p++)
		fresh[p] = book->pages[p].fresh = 0;
	percpu__book_give_pages(book, page, n);
}

void model_rebuild(void)
{
	uint64_t gives = book->gives;
	uint32_t next = 0;

	for (unsigned i = object_count; i > 0; i--)
		if (!live[objects[i - 1]])
			leave(i - 1);
	/* Pages that somebody had for a moment are free, too. */
	for (uint32_t at = 0; at < g.grains; at++) {
		if (grain[at] == STARTS)
			next = at + size[at];
		if (at >= next)
			grain[at] = FREE;
	}
	percpu__book_rebuild(book);
	CHECK(book->gives != gives);
	CHECK_EQ(book->seen.lock, 0);
}

/* 1, 4, 5: each grain, the count of free ones, each page's counts. */
static void check_grains(void)
{
	uint32_t used = 0;

	for (uint32_t p = 0; p < g.pages; p++) {
		uint32_t at = p << g.page_log;
		uint32_t before = used;

		for (; at < (p + 1) << g.page_log; at++) {
			if (percpu__book_used(book, at) != (grain[at] != FREE))
				FAIL("grain %u is %d", at, grain[at]);
			used += grain[at] != FREE;
		}
		CHECK_EQ(book->pages[p].used, used - before);
		CHECK_EQ(book->pages[p].fresh, fresh[p]);
	}
	CHECK_EQ(book->free, g.grains - used);
}

/* 2, 3: no hint hides a free run. */
static void check_hints(void)
{
	CHECK(model_longest() <= book->room);
	for (unsigned k = 0; k + 1 < PERCPU__LOGS; k++)
		CHECK(book->from[k] <= book->from[k + 1]);
	for (uint32_t at = 0; at < g.grains; at++) {
		uint32_t run = run_end(at) - at;
		uint32_t log = run == 0 ? 0 : percpu__book_log(run);

		if (run != 0 && at < book->from[log])
			FAIL("%u grains at %u are below %u", run, at,
			     book->from[log]);
		at += run;
	}
	CHECK_EQ(percpu__book_longest(book), model_longest());
}

/* 6: each object, and nothing else, starts where it does. */
static void check_objects(void)
{
	uint32_t next = percpu__book_next_object(book, 0);

	for (uint32_t at = 0; at < g.grains; at++) {
		bool starts = grain[at] == STARTS;

		if (percpu__book_starts(book, at) != starts)
			FAIL("at %u an object starts: %d", at, !starts);
		CHECK_EQ(percpu__book_live(book, at), starts && live[at]);
		if (!starts)
			continue;
		CHECK_EQ(next, at);
		CHECK_EQ(percpu__book_size(book, at), size[at]);
		next = percpu__book_next_object(book, at + 1);
	}
	CHECK_EQ(next, g.grains);
}

void model_check(void)
{
	check_grains();
	check_hints();
	check_objects();
}

/* SPDX-License-Identifier: MIT */
/*
 * book.c: whatever is taken and given back, in whatever order, the book says
 * what is free and where objects start, its hints hide no room, objects lie
 * where they fit first, or best, and a book made anew is the same.
 */
#include "book-model.h"
#include "check.h"
#include "random.h"

#include <string.h>

#define g percpu__chunk_geometry

static uint64_t random_state = 7;

static unsigned below(unsigned n)
{
	return pick(&random_state, n);
}

/* 1, or an even number, small ones more often. */
static uint32_t some_grains(void)
{
	switch (below(8)) {
	case 0: return 1;
	case 1: return 2 + 2 * below(200);
	case 2: return 2 + 2 * below(g.grains / 4);
	default: return 2 + 2 * below(12);
	}
}

/* Many at once have an alignment that divides their size. */
static void take_some(void)
{
	uint32_t grains = some_grains();
	uint32_t align = grains & -grains;

	if (align > 16)
		align = 16;
	if (below(3) != 0)
		model_take(grains, align, 1 + below(BATCH_MAX));
	else if (grains == 1)
		model_take(1, 1u << below(3), 1);
	else
		model_take(grains, 2u << below(g.page_log), 1);
}

/* Objects from here and there, or neighbours, up or down. */
static void give_some(unsigned most)
{
	uint32_t at[BATCH_MAX];
	unsigned n = 1 + below(most);
	unsigned from;
	unsigned have = model_objects();
	bool down = below(2) != 0;

	if (n > have)
		n = have;
	from = below(have - n + 1);
	for (unsigned i = 0; i < n; i++)
		at[i] = model_object(down ? from + n - 1 - i : from + i);
	for (unsigned i = 1; below(2) != 0 && i < n; i++) {
		unsigned other = below(i + 1);
		uint32_t was = at[other];

		at[other] = at[i];
		at[i] = was;
	}
	model_give(at, n);
}

static void drop_some(void)
{
	uint32_t page = below(g.pages);
	uint32_t n = 1 + below(g.pages - page);

	if (!model_take_pages(page, n))
		return;
	model_check();
	model_take(2, 2, 1);
	model_give_pages(page, n, below(2) != 0);
}

static void rebuild(void)
{
	for (unsigned i = 0; i < model_objects(); i++)
		model_set_live(i, below(4) != 0);
	model_check();
	model_rebuild();
	model_check();
	for (unsigned i = 0; i < model_objects(); i++)
		model_set_live(i, below(2) != 0);
}

static void step(void)
{
	/* Ebb and flow: it is full at times, and empty at others. */
	static unsigned takes = 50;

	if (below(50) == 0)
		takes = 20 + below(60);
	if (below(100) < takes)
		take_some();
	else if (model_objects() != 0)
		give_some(below(2) != 0 ? 1 : BATCH_MAX);
	if (below(30) == 0)
		drop_some();
	if (below(200) == 0)
		rebuild();
}

/* Any steps in any order; all is checked every @every steps. */
static void anything(uint32_t pages, uint32_t page_log, unsigned steps,
		     unsigned every)
{
	model_open(pages, page_log);
	for (unsigned i = 0; i < steps; i++) {
		step();
		if (i % every == 0)
			model_check();
	}
	while (model_objects() != 0)
		give_some(BATCH_MAX);
	model_check();
	CHECK_EQ(percpu__book_longest(book), g.grains);
	CHECK_EQ(model_take(g.grains, 2, 1), 1);
	model_close();
}

/* Give back what lies in [from, end), in any order. */
static void give_range(uint32_t from, uint32_t end)
{
	for (unsigned i = model_objects(); i > 0; i--) {
		uint32_t at = model_object(i - 1);

		if (at >= from && at < end)
			model_give(&at, 1);
	}
	model_check();
}

/*
 * In a chunk full of small objects, a run that becomes free is found at once by
 * an object that it fits, in whichever page it lies and across pages. Linux
 * hid it where the page was not the first, from 2019 to 2026.
 */
static void room_is_found(void)
{
	model_open(5, 10);
	while (model_take(4, 4, BATCH_MAX) != 0)
		;
	CHECK_EQ(book->free, 0);
	CHECK_EQ(model_take(4, 4, 1), 0);
	for (uint32_t at = 0; at + 256 <= g.grains; at += 192) {
		give_range(at, at + 256);
		CHECK_EQ(model_take(258, 2, 1), 0);
		CHECK_EQ(model_take(256, 4, 1), 1);
		CHECK_EQ(book->free, 0);
		model_check();
		/* Small ones again, for the next. */
		give_range(at, at + 256);
		CHECK_EQ(model_take(4, 4, BATCH_MAX), 64);
	}
	model_close();
}

/*
 * What is given back grain by grain, from either end or from the middle, joins
 * what is free beside it, however long that is.
 */
static void runs_join(uint32_t first, int step_by)
{
	uint32_t size = 16;
	uint32_t at = first;
	uint32_t freed = 0;

	model_open(3, 10);
	while (model_take(size, 16, BATCH_MAX) != 0)
		;
	for (; at < g.grains; at += (uint32_t)step_by) {
		model_give(&at, 1);
		freed += size;
		model_check();
		CHECK_EQ(model_longest(), freed);
		CHECK_EQ(model_take(freed + 2, 2, 1), 0);
		CHECK_EQ(model_take(freed, 2, 1), 1);
		model_give(&(uint32_t){ step_by > 0 ? first : at }, 1);
	}
	model_close();
}

/* The shortest run that fits is filled first, by an object of over 1 KiB. */
static void best_fit(void)
{
	uint32_t low = 512;
	uint32_t high = 3072;

	model_open(4, 10);
	CHECK_EQ(model_take(512, 512, 8), 8);
	model_give(&high, 1);
	CHECK_EQ(model_take(212, 2, 1), 1);
	model_give(&low, 1);
	model_check();
	/* 512 grains are free at low, 300 at 3284. */
	CHECK_EQ(model_take(298, 2, 1), 1);
	CHECK(percpu__book_starts(book, 3284));
	/* What is not as large goes where it fits first. */
	CHECK_EQ(model_take(2, 2, 1), 1);
	CHECK(percpu__book_starts(book, low));
	/* Of two that are equal, the first. */
	CHECK_EQ(model_take(510, 2, 1), 1);
	model_give((uint32_t[]){ 2048, 0 }, 2);
	CHECK_EQ(model_take(400, 2, 1), 1);
	CHECK(percpu__book_starts(book, 0));
	model_check();
	model_close();
}

/* Two of 4 bytes share a cell: it is unmade with the last of them. */
static void pairs(void)
{
	uint32_t low = 0;
	uint32_t high = 1;

	model_open(1, 10);
	CHECK_EQ(model_take(1, 1, 2), 2);
	model_give(&low, 1);
	model_check();
	CHECK_EQ(model_take(2, 2, 1), 1);
	CHECK(percpu__book_starts(book, 2));
	CHECK_EQ(model_take(1, 1, 1), 1);
	model_check();
	model_give(&high, 1);
	model_check();
	model_give(&low, 1);
	CHECK_EQ(model_take(2, 2, 1), 1);
	CHECK(percpu__book_starts(book, 0));
	model_check();
	model_close();
}

/* What the program has stays in a book made anew, and nothing else. */
static void made_anew(void)
{
	static const uint32_t sizes[] = { 1, 2, 30, 32, 300, 1024, 600 };

	model_open(5, 10);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		CHECK_EQ(model_take(sizes[i], 1 + (sizes[i] > 1), 2), 2);
	for (unsigned i = 0; i < model_objects(); i++)
		model_set_live(i, i % 2 != 0);
	CHECK(model_take_pages(4, 1));
	/* As a change that the fork cut off would leave it. */
	memset(book->used, 0x5a, g.grains / 8);
	memset(book->from, 0x7f, sizeof(book->from));
	book->free = 1;
	book->room = 0;
	book->seen.lock = 1;
	model_rebuild();
	CHECK_EQ(model_objects(), sizeof(sizes) / sizeof(sizes[0]));
	model_check();
	model_close();
}

int main(void)
{
	room_is_found();
	runs_join(0, 16);
	runs_join(3 * 1024 - 16, -16);
	best_fit();
	pairs();
	made_anew();
	anything(3, 6, 12000, 1);
	anything(7, 7, 8000, 1);
	anything(3, 10, 3000, 3);
	anything(15, 10, 3000, 10);
	return TEST_PASS;
}

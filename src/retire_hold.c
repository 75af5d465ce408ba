/* SPDX-License-Identifier: MIT */
/*
 * retire_hold.c: what lies on pages that are to be dropped is held.
 *
 *   a page   |..object.|  free  | object | object.....|
 *              held      taken    held     held
 *
 * 1. Only what agrees is held, by a compare-and-swap that adds HELD to its
 *    kind. Who frees it takes the kind away before, by another; so either the
 *    object is held, and who frees it waits, or the page stays.
 * 2. What is free on a page of which all objects are held is taken out of the
 *    book, as trim.c does. What somebody else has taken out makes it stay.
 * 3. On such a page nothing changes until all is let go: what lies between its
 *    objects then is what was taken.
 * 4. Which objects are held is kept here, too: looking through cells without
 *    the lock would find bytes of objects that are just being made.
 *
 * Cost: each object of the chunk is looked at three times under the
 * allocator's lock, 0.1 ms for each 10000.
 */
#include "retire_unit.h"

#include "central.h"

#include <string.h>

typedef void visit(struct percpu__retire_units *u,
		   struct percpu__retire_stretch s);

static uint64_t held[PERCPU__CELLS_MAX / PERCPU__WORD_BITS];

static uint32_t cell_of(uint32_t grain)
{
	return grain / PERCPU__CELL_GRAINS;
}

/* Call @between for each part of [first, end) that lies on one page. */
static void by_pages(struct percpu__retire_units *u, uint32_t first,
		     uint32_t end, visit *between)
{
	while (first < end) {
		uint32_t stop = (percpu__retire_page(first) + 1)
				<< percpu__chunk_geometry.page_log;
		struct percpu__retire_stretch s = { first,
						    stop < end ? stop : end };

		between(u, s);
		first = s.end;
	}
}

/* Call @between and @object for all that lies in the chunk. */
static void walk(struct percpu__retire_units *u, visit *between, visit *object)
{
	uint32_t all = percpu__chunk_geometry.grains;
	uint32_t at = 0;

	while (at < all) {
		struct percpu__retire_stretch s;

		s.first = percpu__book_next_object(u->c, at);
		if (between != NULL)
			by_pages(u, at, s.first, between);
		if (s.first == all)
			return;
		s.end = s.first + percpu__book_size(u->c, s.first);
		if (object != NULL)
			object(u, s);
		at = s.end;
	}
}

/* Whether any page of @s is in u->agree. */
static bool concerned(const struct percpu__retire_units *u,
		      struct percpu__retire_stretch s)
{
	uint32_t last = percpu__retire_page(s.end - 1);

	return percpu__bits_find(u->agree, true, percpu__retire_page(s.first),
				 last + 1) <= last;
}

static void pages_stay(struct percpu__retire_units *u,
		       struct percpu__retire_stretch s)
{
	uint32_t first = percpu__retire_page(s.first);

	percpu__bits_mark(u->agree, first,
			  percpu__retire_page(s.end - 1) + 1 - first, false);
}

static void judge_between(struct percpu__retire_units *u,
			  struct percpu__retire_stretch s)
{
	if (percpu__bits_count(u->c->used, s.first, s.end) != 0)
		pages_stay(u, s);
}

static void judge(struct percpu__retire_units *u,
		  struct percpu__retire_stretch s)
{
	if (percpu__cell_kind(percpu__retire_cell(u->c, s.first)) == 0 ||
	    !percpu__book_live(u->c, s.first))
		pages_stay(u, s);
}

static void hold(struct percpu__retire_units *u,
		 struct percpu__retire_stretch s)
{
	uint8_t *cell = percpu__retire_cell(u->c, s.first);
	uint8_t was;

	if (!concerned(u, s))
		return;
	was = percpu__cell_kind(cell);
	if (was != 0 &&
	    percpu__cell_change_kind(cell, was, was | PERCPU__RETIRE_HELD))
		percpu__bits_mark(held, cell_of(s.first), 1, true);
	else
		pages_stay(u, s);
}

static void take(struct percpu__retire_units *u,
		 struct percpu__retire_stretch s)
{
	if (concerned(u, s))
		percpu__central_take_free(u->c, s.first, s.end);
}

static void give(struct percpu__retire_units *u,
		 struct percpu__retire_stretch s)
{
	if (concerned(u, s))
		percpu__central_give_free(u->c, s.first, s.end);
}

static void let_go(struct percpu__retire_units *u,
		   struct percpu__retire_stretch s)
{
	uint8_t *cell = percpu__retire_cell(u->c, s.first);
	uint8_t kind = percpu__cell_kind(cell);

	if (percpu__bits_test(held, cell_of(s.first)))
		percpu__cell_change_kind(cell, kind,
					 kind & (uint8_t)~PERCPU__RETIRE_HELD);
}

void percpu__retire_hold(struct percpu__retire_units *u)
{
	memset(held, 0, sizeof(held));
	walk(u, judge_between, judge);
	if (percpu__bits_count(u->agree, 0, percpu__chunk_geometry.pages) == 0)
		return;
	walk(u, NULL, hold);
	walk(u, take, NULL);
}

void percpu__retire_hold_end(struct percpu__retire_units *u)
{
	if (percpu__bits_count(held, 0, PERCPU__CELLS_MAX) == 0 &&
	    percpu__bits_count(u->agree, 0, percpu__chunk_geometry.pages) == 0)
		return;
	walk(u, give, let_go);
}

bool percpu__retire_hold_next(const struct percpu__retire_units *u,
			      uint32_t grain,
			      struct percpu__retire_stretch *out)
{
	uint32_t cells = cell_of(percpu__chunk_geometry.grains);
	uint32_t at = percpu__bits_find(held, true, cell_of(grain), cells);

	if (at == cells)
		return false;
	out->first = at * PERCPU__CELL_GRAINS;
	out->end = out->first + percpu__book_size(u->c, out->first);
	return true;
}

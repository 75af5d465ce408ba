/* SPDX-License-Identifier: MIT */
/*
 * retire_drop.c: items of held objects are marked and moved, and pages dropped.
 * retire.c numbers why in this order.
 *
 *   item      |mark..|      |......|      page p in u->agree, and p + 1 not:
 *   pages   p      | p + 1            an item that lies on both is retired too
 *
 * An item on two pages that are both to be dropped is looked at twice: each
 * step may be done again. One whose mark is on a page that does not exist makes
 * it exist, if all agree there, to be dropped with the other; then what lies on
 * that one has its turn. Else both stay.
 *
 * Of two such pages that of the mark is dropped after the other has gone for
 * every CPU: an item is fresh as soon as its mark is gone, and the next add on
 * the other page would go with it. Hence a call for some two pages of three.
 * (The model found that.)
 */
#include "retire_unit.h"

#include "os.h"
#include "policy.h"

#include <percpu/cpu.h>

#include <string.h>

/* The items of an object, in a unit. */
struct items {
	const struct percpu__retire_kind *kind;
	struct percpu__retire_unit *unit;
	const uint64_t *agree;
	char *base; /* of the chunk */
	char *h;    /* of the object */
	uint32_t n;
};

typedef void work(const struct items *s, uint32_t i);

static char *handle(const struct items *s, uint32_t i)
{
	return s->h + (size_t)i * s->kind->bytes;
}

static uint32_t page_at(const struct items *s, const char *h)
{
	return (uint32_t)((size_t)(h - s->base) / percpu__chunk_geometry.page);
}

static uint32_t page_of_mark(const struct items *s, uint32_t i)
{
	return page_at(s, handle(s, i) + s->kind->mark_at);
}

static bool is_elsewhere(const struct items *s)
{
	return s->kind->mark_at == PERCPU__RETIRE_ELSEWHERE;
}

/* The pages that item @i lies on stay. */
static void stay(const struct items *s, uint32_t i)
{
	const char *h = handle(s, i);

	percpu__bits_mark(s->unit->drop, page_at(s, h), 1, false);
	percpu__bits_mark(s->unit->drop, page_at(s, h + s->kind->bytes - 1), 1,
			  false);
}

/* Whether the mark of item @i has a page, or may have one from now on. */
static bool has_place(const struct items *s, uint32_t i)
{
	uint32_t page = page_of_mark(s, i);

	if (is_elsewhere(s) || percpu__bits_test(s->unit->exist, page))
		return true;
	if (!percpu__bits_test(s->agree, page))
		return false;
	percpu__bits_mark(s->unit->exist, page, 1, true);
	percpu__bits_mark(s->unit->drop, page, 1, true);
	s->unit->grew = true;
	return true;
}

static void mark(const struct items *s, uint32_t i)
{
	if (!has_place(s, i)) {
		stay(s, i);
	} else if (!s->kind->mark(handle(s, i), s->unit->slot)) {
		stay(s, i);
		s->unit->again = true;
	}
}

static void move(const struct items *s, uint32_t i)
{
	if (s->kind->marked(handle(s, i), s->unit->slot) &&
	    s->kind->move(handle(s, i), s->unit->slot))
		return;
	stay(s, i);
	s->unit->again = true;
}

static void unmark(const struct items *s, uint32_t i)
{
	if (!is_elsewhere(s) &&
	    percpu__bits_test(s->unit->exist, page_of_mark(s, i)))
		s->kind->unmark(handle(s, i), s->unit->slot);
}

/* A page waits with a mark for other words of the item on one that is to go. */
static void wait(const struct items *s, uint32_t i)
{
	const char *h = handle(s, i);
	uint32_t first = page_at(s, h);
	uint32_t last = page_at(s, h + s->kind->bytes - 1);
	uint32_t marked = page_of_mark(s, i);
	uint32_t other = marked == first ? last : first;

	if (!is_elsewhere(s) && other != marked &&
	    percpu__bits_test(s->unit->drop, other))
		percpu__bits_mark(s->unit->wait, marked, 1, true);
}

/* Call @f for those of @s that lie on @page. */
static void on_page(const struct items *s, uint32_t page, work *f)
{
	size_t at = (size_t)(s->h - s->base);
	size_t start = (size_t)page * percpu__chunk_geometry.page;
	size_t end = start + percpu__chunk_geometry.page - at;
	uint32_t i = start > at ? (uint32_t)((start - at) / s->kind->bytes) : 0;

	for (; i < s->n && (size_t)i * s->kind->bytes < end; i++)
		f(s, i);
}

/* On which pages of a unit: to be dropped, or all that were looked at. */
enum which { DROPPED, LOOKED_AT };

static uint8_t number_of(const struct percpu__retire_units *u, uint32_t grain)
{
	return percpu__cell_kind(percpu__retire_cell(u->c, grain)) &
	       (uint8_t)~PERCPU__RETIRE_HELD;
}

static void on_object(struct percpu__retire_units *u,
		      struct percpu__retire_stretch s, enum which which,
		      work *f)
{
	uint8_t number = number_of(u, s.first);
	struct items items = { .kind = percpu__retire_number(number),
			       .agree = u->agree,
			       .base = u->c->base,
			       .h = u->c->base +
				    (size_t)s.first * PERCPU__GRAIN };
	uint32_t last = percpu__retire_page(s.end - 1);

	items.n = (uint32_t)((size_t)(s.end - s.first) * PERCPU__GRAIN /
			     items.kind->bytes);
	for (uint32_t i = 0; i < u->count; i++) {
		items.unit = &u->unit[i];
		for (uint32_t page = percpu__retire_page(s.first); page <= last;
		     page++)
			if (percpu__bits_test(u->agree, page) &&
			    percpu__bits_test(which == DROPPED ?
						      items.unit->drop :
						      items.unit->exist,
					      page))
				on_page(&items, page, f);
	}
}

/* Without the allocator's lock: what is held stays where it is. */
static void on_items(struct percpu__retire_units *u, enum which which, work *f)
{
	struct percpu__retire_stretch s = { 0, 0 };

	while (percpu__retire_hold_next(u, s.end, &s))
		on_object(u, s, which, f);
}

bool percpu__retire_drop_fence(void)
{
	return percpu__policy_peek().mode == PERCPU_MODE_ATOMIC ||
	       percpu_fence() == 0;
}

/* Drop pages [@at, @end) of @unit, if the system lets us. */
static void drop_run(const struct percpu__retire_units *u,
		     struct percpu__retire_unit *unit, uint32_t at,
		     uint32_t end)
{
	size_t page = percpu__chunk_geometry.page;
	char *p = u->c->base + ((uint64_t)unit->slot + 1) * percpu__rt.stride;

	if (percpu__os_drop(p + at * page, (end - at) * page) == 0)
		percpu__bits_mark(unit->exist, at, end - at, false);
	percpu__bits_mark(unit->drop, at, end - at, false);
}

/* Drop the pages of @unit that wait for no others. */
static void drop_unit(const struct percpu__retire_units *u,
		      struct percpu__retire_unit *unit)
{
	uint32_t pages = percpu__chunk_geometry.pages;
	uint64_t now[PERCPU__RETIRE_WORDS];
	uint32_t at;
	uint32_t end;

	for (uint32_t w = 0; w < PERCPU__RETIRE_WORDS; w++)
		now[w] = unit->drop[w] & ~unit->wait[w];
	for (at = percpu__bits_find(now, true, 0, pages); at < pages;
	     at = percpu__bits_find(now, true, end, pages)) {
		end = percpu__bits_find(now, false, at, pages);
		drop_run(u, unit, at, end);
	}
}

static bool any_left(const struct percpu__retire_units *u)
{
	for (uint32_t i = 0; i < u->count; i++)
		if (percpu__bits_count(u->unit[i].drop, 0,
				       percpu__chunk_geometry.pages) != 0)
			return true;
	return false;
}

/*
 * At most one item lies on two pages, so there is always one that waits for
 * none. Of a page that the system keeps the others need not wait any more.
 */
static void drop_all(struct percpu__retire_units *u)
{
	while (any_left(u)) {
		for (uint32_t i = 0; i < u->count; i++)
			memset(u->unit[i].wait, 0, sizeof(u->unit[i].wait));
		on_items(u, DROPPED, wait);
		for (uint32_t i = 0; i < u->count; i++)
			drop_unit(u, &u->unit[i]);
	}
}

static void choose(struct percpu__retire_units *u)
{
	for (uint32_t i = 0; i < u->count; i++)
		for (uint32_t w = 0; w < PERCPU__RETIRE_WORDS; w++)
			u->unit[i].drop[w] = u->unit[i].exist[w] & u->agree[w];
}

/* Until no unit has got pages by it: at most a few times. */
static void mark_all(struct percpu__retire_units *u)
{
	bool grew;

	do {
		grew = false;
		on_items(u, DROPPED, mark);
		for (uint32_t i = 0; i < u->count; i++) {
			grew |= u->unit[i].grew;
			u->unit[i].grew = false;
		}
	} while (grew);
}

/* Marks stay, until there is a fence. */
static void give_up(struct percpu__retire_units *u)
{
	for (uint32_t i = 0; i < u->count; i++)
		u->unit[i].again = true;
}

static void drop(struct percpu__retire_units *u)
{
	choose(u);
	mark_all(u);
	if (!percpu__retire_drop_fence()) {
		give_up(u);
		return;
	}
	on_items(u, DROPPED, move);
	if (!percpu__retire_drop_fence()) {
		give_up(u);
		return;
	}
	drop_all(u);
	on_items(u, LOOKED_AT, unmark);
}

/* Which kinds are held there, as bits of their numbers. */
static uint32_t kinds_held(const struct percpu__retire_units *u)
{
	struct percpu__retire_stretch s = { 0, 0 };
	uint32_t kinds = 0;

	while (percpu__retire_hold_next(u, s.end, &s))
		kinds |= 1u << number_of(u, s.first);
	return kinds;
}

void percpu__retire_drop(struct percpu__retire_units *u)
{
	uint32_t kinds = kinds_held(u);
	const struct percpu__retire_kind *kind;

	for (uint8_t i = 1; i < PERCPU__RETIRE_KINDS; i++) {
		kind = percpu__retire_number(i);
		if ((kinds >> i & 1) != 0 && kind->start != NULL)
			kind->start();
	}
	drop(u);
	for (uint8_t i = 1; i < PERCPU__RETIRE_KINDS; i++) {
		kind = percpu__retire_number(i);
		if ((kinds >> i & 1) != 0 && kind->end != NULL)
			kind->end();
	}
}

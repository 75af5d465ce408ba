/* SPDX-License-Identifier: MIT */
/*
 * trim.c: pages that no object lies in go back to the system, in every unit at
 * once: on demand, and by themselves about PERIOD seconds after they became
 * free, if the program allocates or frees at all then. There is no thread for
 * it; a program that is idle calls percpu_trim(). A step also empties the
 * cache of the thread that makes it, and unmaps all empty chunks but one.
 *
 *   used == 0, fresh > 0 --a step--> idle --the next step--> dropped, fresh 0
 *            ^                        |
 *            '--- taken, given back --'
 *
 * A run of pages is taken out of its book while it is dropped, as if an object
 * lay there, and put back fresh: it is zero in every slot. The system is called
 * without the lock. Where memory is locked it refuses, and nothing has changed.
 */
#include "trim.h"

#include "central.h"
#include "os.h"
#include "registry.h"
#include "resident.h"
#include "supply.h"

#include <percpu/alloc.h>

#define PERIOD 1u /* seconds */
#define OTHERS 4u /* who gives up handles, by objects above this layer */

static void (*others[OTHERS])(void);
static unsigned others_count;

/* Pages of a unit of @c. */
struct run {
	struct percpu__chunk *c;
	uint32_t first;
	uint32_t n;
};

/* What to drop, and what to tell. */
struct trim {
	bool all;		      /* also what was in use a moment ago */
	bool (*which)(unsigned slot); /* NULL: in every slot */
	size_t *bytes;		      /* if not NULL, add resident ones */
};

static bool can_drop(const struct percpu__page *page, bool all)
{
	return page->used == 0 && page->fresh > 0 && (all || page->idle != 0);
}

/* The first run at or after page *@at, and the page after it to *@at. */
static struct run next_run(struct percpu__chunk *c, uint32_t *at, bool all)
{
	uint32_t pages = percpu__chunk_geometry.pages;
	struct run r = { .c = c };

	while (*at < pages && !can_drop(&c->pages[*at], all))
		c->pages[(*at)++].idle = 1;
	r.first = *at;
	while (*at < pages && can_drop(&c->pages[*at], all))
		(*at)++;
	r.n = *at - r.first;
	return r;
}

/* Drop @r, without the lock. False if the system would not. */
static bool drop(struct run r, const struct trim *t)
{
	size_t page = percpu__chunk_geometry.page;
	char *p = r.c->base + r.first * page;

	for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++) {
		size_t held = 0;

		p += percpu__rt.stride;
		if (t->which != NULL && !t->which(i))
			continue;
		if (t->bytes != NULL)
			held = percpu__resident_bytes(p, r.n * page);
		if (percpu__os_drop(p, r.n * page) < 0)
			return false;
		if (t->bytes != NULL)
			*t->bytes += held;
	}
	return true;
}

/*
 * Drop @r, under the lock, which is left in between. False if all was made anew
 * meanwhile: the pages were given back by that.
 */
static bool drop_run(struct run r, const struct trim *t)
{
	uint32_t seen = percpu__central_seen();
	bool dropped;

	percpu__central_take_pages(r.c, r.first, r.n);
	percpu__central_leave();
	dropped = drop(r, t) && t->which == NULL;
	percpu__central_enter();
	if (percpu__central_seen() != seen)
		return false;
	for (uint32_t i = 0; dropped && i < r.n; i++)
		r.c->pages[r.first + i].fresh = 0;
	percpu__central_give_pages(r.c, r.first, r.n);
	return true;
}

/* Drop what can be dropped of @c; false as above. */
static bool drop_pages(struct percpu__chunk *c, const struct trim *t)
{
	uint32_t at = 0;

	while (at < percpu__chunk_geometry.pages) {
		struct run r = next_run(c, &at, t->all);

		if (r.n > 0 && !drop_run(r, t))
			return false;
	}
	return true;
}

/* Drop what can be dropped of all chunks. */
static void drop_all(const struct trim *t)
{
	struct percpu__chunk *c;
	size_t place = 0;

	percpu__central_enter();
	do
		c = percpu__registry_next(&place);
	while (c != NULL && drop_pages(c, t));
	percpu__central_leave();
}

void percpu__trim_also(void (*f)(void))
{
	unsigned i = __atomic_fetch_add(&others_count, 1, __ATOMIC_RELAXED);

	if (i < OTHERS)
		__atomic_store_n(&others[i], f, __ATOMIC_RELEASE);
}

static void trim_others(void)
{
	for (unsigned i = 0; i < OTHERS; i++) {
		void (*f)(void) = __atomic_load_n(&others[i], __ATOMIC_ACQUIRE);

		if (f != NULL)
			f();
	}
}

size_t percpu_trim(void)
{
	size_t bytes = 0;
	const struct trim t = { .all = true, .bytes = &bytes };

	trim_others();
	percpu__supply_drain(true);
	percpu__central_shrink(0, &bytes);
	drop_all(&t);
	return bytes;
}

void percpu__trim_slots(bool (*which)(unsigned slot))
{
	const struct trim t = { .all = true, .which = which };

	drop_all(&t);
}

void percpu__trim_step(void)
{
	const struct trim t = { .all = false };
	static uint64_t last;
	uint64_t now = percpu__os_seconds();
	uint64_t before = __atomic_load_n(&last, __ATOMIC_RELAXED);

	if (now < before + PERIOD ||
	    !__atomic_compare_exchange_n(&last, &before, now, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	percpu__supply_drain(false);
	percpu__central_shrink(1, NULL);
	drop_all(&t);
}

/* SPDX-License-Identifier: MIT */
/*
 * book.c: first fit over a bitmap, with hints that never hide room.
 *
 *   used    1110110000000011111111000000000000000000 ...   a bit per grain
 *   from[0]    ^                       from[k]: no free run of 2^k grains or
 *   from[2]         ^                  more starts below
 *   room    no free run is longer
 *
 * Objects lie where they fit, whatever their sizes: packing is exact. Speed
 * comes from taking and giving many of one size at once.
 *
 * Invariants, under the caller's lock:
 *   1. free is the count of 0 bits in used.
 *   2. No free run is longer than room.
 *   3. No free run of 2^k grains or more starts below from[k]; from[k] is not
 *      above from[k + 1].
 *   4. pages[p].used is the count of 1 bits of used in page p.
 *   5. No grain of page p at or above pages[p].fresh was given out since the
 *      page was last made fresh: those are zero in every slot.
 *   6. A grain where an object starts is used, and so are all of the object's.
 *
 * Taking leaves 2 and 3 true as they are. Giving makes one run longer: that run
 * is measured, up to LOOK grains to either side; where it is longer still,
 * room becomes free, which is always true, and from[k] for longer runs is
 * bounded by from[log2(LOOK)], since what lies beyond was free before and is
 * that long.
 * Rejected: measuring the whole run, 600 ns for a free in an empty unit.
 *
 * All places are grains of a unit. (Linux kept its hints in coordinates of a
 * page in one place and of the chunk in the other, which hid free room from
 * 2019 to 2026.)
 */
#include "book.h"

#include "bits.h"

#define LOOK_LOG 7u
#define LOOK (1u << LOOK_LOG)

/* Objects of more grains than this go where they fit best. */
#define LARGE 256u

static uint32_t page_of(uint32_t grain)
{
	return grain >> percpu__chunk_geometry.page_log;
}

static uint32_t page_start(uint32_t page)
{
	return page << percpu__chunk_geometry.page_log;
}

/* Where the free run that ends at @first starts, as far as LOOK back. */
static uint32_t look_back(const struct percpu__chunk *c, uint32_t first)
{
	if (first == 0 || percpu__bits_test(c->used, first - 1))
		return first;
	return percpu__bits_after_last(c->used, first > LOOK ? first - LOOK : 0,
				       first);
}

/* Where the free run that starts at @end ends, as far as LOOK ahead. */
static uint32_t look_ahead(const struct percpu__chunk *c, uint32_t end)
{
	uint32_t all = percpu__chunk_geometry.grains;

	if (end == all || percpu__bits_test(c->used, end))
		return end;
	return percpu__bits_find(c->used, true, end,
				 all - end > LOOK ? end + LOOK : all);
}

/* [first, end) was just made free. */
static void freed(struct percpu__chunk *c, uint32_t first, uint32_t end)
{
	uint32_t lo = look_back(c, first);
	uint32_t hi = look_ahead(c, end);
	bool whole = first - lo < LOOK && hi - end < LOOK;
	uint32_t log = percpu__book_log(hi - lo);
	uint32_t room = whole ? hi - lo : c->free;

	if (c->room < room)
		c->room = room;
	for (uint32_t k = log + 1; k > 0 && c->from[k - 1] > lo; k--)
		c->from[k - 1] = lo;
	for (uint32_t k = LOOK_LOG + 1; !whole && k < PERCPU__LOGS; k++)
		if (c->from[k] > c->from[LOOK_LOG])
			c->from[k] = c->from[LOOK_LOG];
}

/* Count [first, end) as taken or given back, page by page. */
static void count(struct percpu__chunk *c, uint32_t first, uint32_t end,
		  bool taken)
{
	while (first < end) {
		struct percpu__page *page = &c->pages[page_of(first)];
		uint32_t stop = page_start(page_of(first) + 1);
		uint16_t n = (uint16_t)((stop < end ? stop : end) - first);

		page->used =
			(uint16_t)(taken ? page->used + n : page->used - n);
		page->idle = 0;
		first = stop;
	}
}

static void take_run(struct percpu__chunk *c, uint32_t first, uint32_t end)
{
	percpu__bits_mark(c->used, first, end - first, true);
	c->free -= end - first;
	count(c, first, end, true);
}

static void give_run(struct percpu__chunk *c, uint32_t first, uint32_t end)
{
	percpu__bits_mark(c->used, first, end - first, false);
	c->free += end - first;
	count(c, first, end, false);
	freed(c, first, end);
}

/* Whether [first, end) may be other than zero; from now on it may. */
static bool soil(struct percpu__chunk *c, uint32_t first, uint32_t end)
{
	bool dirty = false;

	while (first < end) {
		struct percpu__page *page = &c->pages[page_of(first)];
		uint32_t start = page_start(page_of(first));
		uint32_t stop = page_start(page_of(first) + 1);

		if (stop > end)
			stop = end;
		if (first - start < page->fresh)
			dirty = true;
		if (stop - start > page->fresh)
			page->fresh = (uint16_t)(stop - start);
		first = stop;
	}
	return dirty;
}

static void make(struct percpu__chunk *c, uint32_t first, uint32_t grains)
{
	uint8_t *cell = c->cells + first / PERCPU__CELL_GRAINS;

	if (grains > 1)
		percpu__cell_make(cell, grains);
	else if ((percpu__cell_load(cell) & PERCPU__CELL_START) == 0)
		percpu__cell_make_pair(cell);
}

/* Make objects of @grains of all of [first, end), which is taken. */
static unsigned make_all(struct percpu__chunk *c, uint32_t first, uint32_t end,
			 uint32_t grains, uint64_t *out)
{
	unsigned n = 0;

	for (; first < end; first += grains) {
		bool dirty = soil(c, first, first + grains);

		make(c, first, grains);
		out[n++] =
			(uint64_t)(uintptr_t)(c->base +
					      (size_t)first * PERCPU__GRAIN) |
			(dirty ? PERCPU__DIRTY : 0);
	}
	return n;
}

/* A walk over free runs, for objects of one size. */
struct walk {
	uint32_t grains;
	uint32_t align;
	uint32_t at;	  /* not looked at from here on */
	uint32_t passed;  /* the first run of 2^log(grains) left behind */
	uint32_t longest; /* run left behind, if 2^log(grains) or more */
	uint32_t first;	  /* what was found: */
	uint32_t end;
};

/* [first, end) stays free behind the walk. */
static void pass(struct walk *w, uint32_t first, uint32_t end)
{
	uint32_t run = end > first ? end - first : 0;

	if (run >> percpu__book_log(w->grains) == 0)
		return;
	if (w->passed > first)
		w->passed = first;
	if (w->longest < run)
		w->longest = run;
}

/*
 * Find the next place where one object fits and how many do from there, up to
 * @most; false if there is none.
 */
static bool next_fit(const struct percpu__chunk *c, struct walk *w,
		     unsigned most)
{
	uint32_t all = percpu__chunk_geometry.grains;

	while (w->at < all) {
		uint32_t run = percpu__bits_find(c->used, false, w->at, all);
		uint32_t first = (run + w->align - 1) & ~(w->align - 1);
		uint64_t want = first + (uint64_t)w->grains * most;
		uint32_t end = percpu__bits_find(
			c->used, true, run, want < all ? (uint32_t)want : all);

		w->at = end;
		if (end < first || end - first < w->grains) {
			pass(w, run, end);
			continue;
		}
		w->first = first;
		w->end = end - (end - first) % w->grains;
		pass(w, run, first);
		pass(w, w->end, end);
		return true;
	}
	return false;
}

/* Find the shortest run in which an object fits, of all there are. */
static bool best_fit(const struct percpu__chunk *c, struct walk *w)
{
	uint32_t all = percpu__chunk_geometry.grains;
	uint32_t shortest = UINT32_MAX;

	while (w->at < all) {
		uint32_t run = percpu__bits_find(c->used, false, w->at, all);
		uint32_t end = percpu__bits_find(c->used, true, run, all);
		uint32_t first = (run + w->align - 1) & ~(w->align - 1);

		w->at = end;
		pass(w, run, end);
		if (end < first || end - first < w->grains ||
		    end - run >= shortest)
			continue;
		shortest = end - run;
		w->first = first;
		w->end = first + w->grains;
	}
	return shortest != UINT32_MAX;
}

/* Take up to @want objects where they fit first. */
static unsigned take_first(struct percpu__chunk *c, struct walk *w,
			   unsigned want, uint64_t *out)
{
	unsigned n = 0;

	while (n < want && next_fit(c, w, want - n)) {
		take_run(c, w->first, w->end);
		n += make_all(c, w->first, w->end, w->grains, out + n);
	}
	if (n < want)
		c->room = w->longest;
	return n;
}

/* Take one object where it fits best. */
static unsigned take_best(struct percpu__chunk *c, struct walk *w,
			  uint64_t *out)
{
	if (!best_fit(c, w)) {
		c->room = w->longest;
		return 0;
	}
	take_run(c, w->first, w->end);
	return make_all(c, w->first, w->end, w->grains, out);
}

unsigned percpu__book_take(struct percpu__chunk *c, uint32_t grains,
			   uint32_t align, unsigned want, uint64_t *out)
{
	uint32_t log = percpu__book_log(grains);
	struct walk w = { .grains = grains,
			  .align = align,
			  .at = c->from[log],
			  .passed = percpu__chunk_geometry.grains,
			  .longest = (1u << log) - 1 };
	unsigned n;
	uint32_t at;

	if (c->room < grains)
		return 0;
	n = want == 1 && grains > LARGE ? take_best(c, &w, out) :
					  take_first(c, &w, want, out);
	at = w.passed < w.at ? w.passed : w.at;
	for (uint32_t k = log; k < PERCPU__LOGS && c->from[k] < at; k++)
		c->from[k] = at;
	return n;
}

uint32_t percpu__book_size(const struct percpu__chunk *c, uint32_t grain)
{
	const uint8_t *cell = c->cells + grain / PERCPU__CELL_GRAINS;
	uint8_t byte = percpu__cell_load(cell);

	return percpu__cell_is_pair(byte) ? 1 : percpu__cell_grains(cell, byte);
}

bool percpu__book_used(const struct percpu__chunk *c, uint32_t grain)
{
	return percpu__bits_test(c->used, grain);
}

bool percpu__book_starts(const struct percpu__chunk *c, uint32_t grain)
{
	uint8_t byte =
		percpu__cell_load(c->cells + grain / PERCPU__CELL_GRAINS);

	if ((byte & PERCPU__CELL_START) == 0)
		return false;
	if (percpu__cell_is_pair(byte))
		return percpu__bits_test(c->used, grain);
	return grain % PERCPU__CELL_GRAINS == 0;
}

bool percpu__book_live(const struct percpu__chunk *c, uint32_t grain)
{
	uint8_t byte =
		percpu__cell_load(c->cells + grain / PERCPU__CELL_GRAINS);

	if (!percpu__book_starts(c, grain))
		return false;
	if (!percpu__cell_is_pair(byte))
		return (byte & PERCPU__CELL_LIVE) != 0;
	return (byte >> grain % PERCPU__CELL_GRAINS & 1) != 0;
}

uint32_t percpu__book_next_object(const struct percpu__chunk *c, uint32_t grain)
{
	uint32_t all = percpu__chunk_geometry.grains;

	grain = percpu__bits_find(c->used, true, grain, all);
	while (grain < all && !percpu__book_starts(c, grain))
		grain = percpu__bits_find(c->used, true, grain + 1, all);
	return grain;
}

uint32_t percpu__book_longest(const struct percpu__chunk *c)
{
	uint32_t all = percpu__chunk_geometry.grains;
	uint32_t at = percpu__bits_find(c->used, false, 0, all);
	uint32_t longest = 0;

	while (at < all) {
		uint32_t end = percpu__bits_find(c->used, true, at, all);

		if (longest < end - at)
			longest = end - at;
		at = percpu__bits_find(c->used, false, end, all);
	}
	return longest;
}

/*
 * Unmake the object at @grain, of @grains. A pair goes with its last object:
 * the other may be given out.
 */
static void unmake(struct percpu__chunk *c, uint32_t grain, uint32_t grains)
{
	uint8_t *cell = c->cells + grain / PERCPU__CELL_GRAINS;

	if (grains == 1) {
		percpu__bits_mark(c->used, grain, 1, false);
		if (percpu__bits_test(c->used, grain ^ 1))
			return;
	}
	percpu__cell_unmake(cell);
}

static uint32_t grain_of(const struct percpu__chunk *c, uint64_t item)
{
	return (uint32_t)(((uintptr_t)percpu__book_handle(item) -
			   (uintptr_t)c->base) /
			  PERCPU__GRAIN);
}

/* Give back the first of @items, and with it those that lie side by side. */
static unsigned give_some(struct percpu__chunk *c, const uint64_t *items,
			  unsigned n)
{
	uint32_t first = grain_of(c, items[0]);
	uint32_t end = first;
	unsigned i;

	for (i = 0; i < n; i++) {
		uint32_t grain = grain_of(c, items[i]);
		uint32_t grains = percpu__book_size(c, grain);

		if (grain != end && grain + grains != first)
			break;
		unmake(c, grain, grains);
		if (grain < first)
			first = grain;
		else
			end = grain + grains;
	}
	give_run(c, first, end);
	return i;
}

static void count_gives(struct percpu__chunk *c)
{
	__atomic_store_n(&c->gives, c->gives + 1, __ATOMIC_RELEASE);
}

void percpu__book_give(struct percpu__chunk *c, const uint64_t *items,
		       unsigned n)
{
	count_gives(c);
	for (unsigned i = 0; i < n; i++)
		__builtin_prefetch(
			&c->used[grain_of(c, items[i]) / PERCPU__WORD_BITS], 1);
	for (unsigned i = 0; i < n;)
		i += give_some(c, items + i, n - i);
}

void percpu__book_take_free(struct percpu__chunk *c, uint32_t first,
			    uint32_t end)
{
	take_run(c, first, end);
}

void percpu__book_give_free(struct percpu__chunk *c, uint32_t first,
			    uint32_t end)
{
	give_run(c, first, end);
}

void percpu__book_take_pages(struct percpu__chunk *c, uint32_t page, uint32_t n)
{
	take_run(c, page_start(page), page_start(page + n));
}

void percpu__book_give_pages(struct percpu__chunk *c, uint32_t page, uint32_t n)
{
	give_run(c, page_start(page), page_start(page + n));
}

/* Keep what the program has of the object or pair at cell number @at. */
static void keep(struct percpu__chunk *c, uint32_t at)
{
	uint32_t grain = at * PERCPU__CELL_GRAINS;
	uint32_t grains = percpu__book_size(c, grain);
	uint8_t byte = percpu__cell_load(c->cells + at);

	if (grains > 1) {
		if ((byte & PERCPU__CELL_LIVE) != 0)
			take_run(c, grain, grain + grains);
		else
			percpu__cell_unmake(c->cells + at);
		return;
	}
	if ((byte & PERCPU__CELL_LOW) != 0)
		take_run(c, grain, grain + 1);
	if ((byte & PERCPU__CELL_HIGH) != 0)
		take_run(c, grain + 1, grain + 2);
	if ((byte & PERCPU__CELL_LIVES) == 0)
		percpu__cell_unmake(c->cells + at);
}

void percpu__book_rebuild(struct percpu__chunk *c)
{
	const struct percpu__geometry *g = &percpu__chunk_geometry;

	percpu__bits_mark(c->used, 0, g->grains, false);
	count_gives(c);
	__atomic_store_n(&c->seen.lock, 0, __ATOMIC_RELAXED);
	c->free = g->grains;
	c->room = g->grains;
	for (uint32_t k = 0; k < PERCPU__LOGS; k++)
		c->from[k] = 0;
	for (uint32_t p = 0; p < g->pages; p++)
		c->pages[p].used = 0;
	for (uint32_t at = 0; at < g->grains / PERCPU__CELL_GRAINS; at++)
		if ((percpu__cell_load(c->cells + at) & PERCPU__CELL_START) !=
		    0)
			keep(c, at);
}

/* SPDX-License-Identifier: MIT */
/*
 * retire.c: pages of CPUs that are gone, with live objects on them, go back to
 * the system. Chunk by chunk:
 *
 *   which pages of those units exist            the system says
 *   on which of them do all agree               book and cells, under its lock
 *     hold the objects, take what is free
 *   mark their items                            in the units
 *   -------- fence
 *   move those that still are marked
 *   -------- fence
 *   drop the pages of which all were moved
 *   unmark what lies on pages that stay
 *   let go                                      under the allocator's lock
 *
 * 1. A page is dropped only if all of it is free, or objects that agree. Those
 *    are held: who wants to free one waits for the lock here. What is free is
 *    taken out of the book. So nothing else comes to lie there.
 * 2. Between mark and drop nobody writes an item. A section that had loaded the
 *    word of the mark before is over after the first fence; if it has written
 *    over the mark one sees that, and the page stays.
 * 3. A drop takes words that are zero, and marks. Of an item on two pages that
 *    with the mark goes last, so an item is zero and marked, or zero and as
 *    good as new, with nothing that still goes. Who comes, on whatever CPU,
 *    finds one of these.
 * 4. Of an item that is as good as new a section may have loaded a word before
 *    the move, and the next word after. It is over after the second fence.
 *    Where that one is refused nothing is dropped, and the marks stay.
 *    References are marked in their words, which lets nobody in until they are
 *    open again: so no second fence is for them, and no mark is left.
 * 5. Policy atomic: items have one writer at a time, who sees the mark in the
 *    atomic by which he becomes it. No fence is needed.
 * 6. No page appears to stay: nothing writes a zero over one, and a mark makes
 *    a page only where that is to be dropped with it (retire_drop.c).
 * 7. In a child of fork who first takes the lock puts in order what was in the
 *    middle of a move. What is held is held by nobody then, and what was taken
 *    has been made free. Marks that are left send users elsewhere until the
 *    next call, which finds their slots in "unfinished".
 *
 * Nothing above goes by who runs where: a CPU that is wrongly taken for gone,
 * or comes back at any moment, is as exact as ever.
 *
 * With PERCPU_DEBUG there are red zones beside objects: there no page goes.
 */
#include "retire_unit.h"

#include "central.h"
#include "debug.h"
#include "mutex.h"
#include "os.h"
#include "registry.h"
#include "topology.h"

#include <string.h>

#define UNITS 32u /* at a time, for one fence */

/*
 * Over all below, and what is held. It comes after that of hotplug.c, and
 * before the allocator's and that of ref_adapt.c.
 */
static struct percpu__mutex lock;

static const struct percpu__retire_kind *kinds[PERCPU__RETIRE_KINDS];
static struct percpu__retire_unit at_hand[UNITS];
static struct percpu__retire_units units = { .unit = at_hand };
static struct percpu__cpus unfinished;

static void take_lock(void)
{
	if (!percpu__mutex_take(&lock))
		return;
	for (uint32_t i = 0; i < PERCPU__RETIRE_KINDS; i++)
		if (kinds[i] != NULL && kinds[i]->settle != NULL)
			kinds[i]->settle();
}

const struct percpu__retire_kind *percpu__retire_number(uint8_t number)
{
	return __atomic_load_n(&kinds[number], __ATOMIC_ACQUIRE);
}

void percpu__retire_agree(void *h, enum percpu__retire_kinds number,
			  const struct percpu__retire_kind *kind)
{
	__atomic_store_n(&kinds[number], kind, __ATOMIC_RELEASE);
	/* It may have been said before: then somebody may hold it now. */
	percpu__cell_change_kind(percpu__chunk_cell(h), 0, (uint8_t)number);
}

void percpu__retire_disagree(void *h)
{
	/* Else a mistake of the program's, of which percpu_free() will tell. */
	uint8_t *cell = percpu__registry_has(h) ? percpu__chunk_cell(h) : NULL;
	uint8_t kind = cell != NULL ? percpu__cell_kind(cell) : 0;

	if (kind == 0 || percpu__cell_change_kind(
				 cell, kind & (uint8_t)~PERCPU__RETIRE_HELD, 0))
		return;
	percpu__mutex_start();
	take_lock();
	percpu__cell_change_kind(cell, percpu__cell_kind(cell), 0);
	percpu__mutex_drop(&lock);
}

/* Have what can be retired of the chunk at @base, if it still is one. */
static bool hold(char *base, uint32_t *seen)
{
	bool any;

	percpu__central_enter();
	*seen = percpu__central_seen();
	any = percpu__registry_has(base);
	if (any) {
		units.c = percpu__chunk_of(base);
		percpu__retire_hold(&units);
		any = percpu__bits_count(units.agree, 0,
					 percpu__chunk_geometry.pages) != 0;
		if (!any)
			percpu__retire_hold_end(&units);
	}
	percpu__central_leave();
	return any;
}

/* Unless all was made anew, in a child of fork. */
static void let_go(uint32_t seen)
{
	percpu__central_enter();
	if (percpu__central_seen() == seen)
		percpu__retire_hold_end(&units);
	percpu__central_leave();
}

/* With each page those beside it: what lies on two has one mark. */
static void widen(uint64_t pages[PERCPU__RETIRE_WORDS])
{
	uint64_t was[PERCPU__RETIRE_WORDS];
	uint32_t n = percpu__chunk_geometry.pages;

	memcpy(was, pages, sizeof(was));
	for (uint32_t page = 0; page < n; page++)
		if ((page > 0 && percpu__bits_test(was, page - 1)) ||
		    (page + 1 < n && percpu__bits_test(was, page + 1)))
			percpu__bits_mark(pages, page, 1, true);
}

/* Ask which pages of the chunk at @base there are; false if none. */
static bool look(const char *base)
{
	uint32_t pages = percpu__chunk_geometry.pages;

	memset(units.agree, 0, sizeof(units.agree));
	for (uint32_t i = 0; i < units.count; i++) {
		struct percpu__retire_unit *u = &units.unit[i];
		const char *p =
			base + ((uint64_t)u->slot + 1) * percpu__rt.stride;

		memset(u->exist, 0, sizeof(u->exist));
		if (percpu__os_resident(p, pages, u->exist) < 0)
			memset(u->exist, 0, sizeof(u->exist));
		for (uint32_t w = 0; w < PERCPU__RETIRE_WORDS; w++)
			units.agree[w] |= u->exist[w];
	}
	widen(units.agree);
	return percpu__bits_count(units.agree, 0, pages) != 0;
}

/* The base of the next chunk after place *@at; NULL if there is none. */
static char *next_base(size_t *at)
{
	struct percpu__chunk *c;
	char *base;

	percpu__central_enter();
	c = percpu__registry_next(at);
	base = c != NULL ? c->base : NULL;
	percpu__central_leave();
	return base;
}

static void add_unit(unsigned slot)
{
	units.unit[units.count].slot = slot;
	units.unit[units.count++].again = false;
	unfinished.bits[slot / PERCPU__CPUS_WORD] |=
		1ul << slot % PERCPU__CPUS_WORD;
}

static void finish_units(void)
{
	for (uint32_t i = 0; i < units.count; i++) {
		unsigned slot = units.unit[i].slot;

		if (!units.unit[i].again)
			unfinished.bits[slot / PERCPU__CPUS_WORD] &=
				~(1ul << slot % PERCPU__CPUS_WORD);
	}
	units.count = 0;
}

/* Without the memory of chunks at hand: they may go at any moment. */
static void retire_units(void)
{
	size_t at = 0;
	uint32_t seen;
	char *base;

	while (units.count > 0 && (base = next_base(&at)) != NULL) {
		if (!look(base) || !hold(base, &seen))
			continue;
		percpu__retire_drop(&units);
		let_go(seen);
	}
	finish_units();
}

static bool wanted(uint32_t slot, bool (*left)(unsigned slot),
		   bool (*gone)(unsigned slot))
{
	return left(slot) ||
	       (gone(slot) && percpu__cpus_has(&unfinished, slot));
}

/* Whether there ever was an object that agreed. */
static bool any_kind(void)
{
	for (uint8_t i = 0; i < PERCPU__RETIRE_KINDS; i++)
		if (percpu__retire_number(i) != NULL)
			return true;
	return false;
}

static bool can_retire(void)
{
	return any_kind() && !percpu__debug_on() &&
	       percpu__mutex_start() == 0 && percpu__retire_drop_fence();
}

void percpu__retire_slots(bool (*left)(unsigned slot),
			  bool (*gone)(unsigned slot))
{
	uint32_t slot = 0;

	while (slot < percpu__rt.nr_slots && !wanted(slot, left, gone))
		slot++;
	if (slot == percpu__rt.nr_slots || !can_retire())
		return;
	take_lock();
	units.count = 0;
	for (; slot < percpu__rt.nr_slots; slot++) {
		if (wanted(slot, left, gone))
			add_unit(slot);
		if (units.count == UNITS)
			retire_units();
	}
	retire_units();
	percpu__mutex_drop(&lock);
}

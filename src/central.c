/* SPDX-License-Identifier: MIT */
/*
 * central.c: chunks in lists by how long a run may be free in them.
 *
 *   lists[0]      full
 *   lists[k + 1]  room in 2^k ... 2^(k+1) - 1 grains
 *
 * Room for n grains is looked for from the list of log2(n) upwards, so full
 * chunks cost nothing and the fullest that fits is filled up first; the emptier
 * ones get a chance to become empty.
 *
 * Invariants, under the lock:
 *   1. A chunk is in the registry and in the list that its room says, or in
 *      neither: it is new, or on its way out, and one thread's alone.
 *   2. empties counts the chunks of which nothing is taken.
 *
 * A chunk is mapped and unmapped without the lock.
 *
 * In a child of fork the lists, books and counts may be halfway through a
 * change of a thread that is not here. The registry and the cells of chunks
 * are true at every instruction; everything else is made anew from them by the
 * first that takes the lock (restore()). What the program does not have is free
 * then: caches are empty in the child, and what other threads had just taken or
 * were about to give back is not lost. So is what the thread that forked had in
 * its hands, if it did so in a signal handler, in the middle of a call: it sees
 * that percpu__central_restored has changed, and forgets it. Until restore()
 * nobody in the child gets at the caches: a thread that did would hold objects
 * which another one makes free.
 */
#include "central.h"

#include "cache.h"
#include "debug.h"
#include "lock.h"
#include "registry.h"
#include "resident.h"

#include <errno.h>

#define LISTS (PERCPU__LOGS + 1)

/* With so many chunks, the next one's book is made resident at once. */
#define MANY 4u

static struct percpu__chunk *lists[LISTS];
static unsigned empties;
static unsigned chunks;
static struct percpu__central_use use;
uint32_t percpu__central_restored;

/* Whoever grows looks at it without the lock. */
static void count_chunks(int by)
{
	__atomic_store_n(&chunks, chunks + (unsigned)by, __ATOMIC_RELAXED);
}

static bool is_empty(const struct percpu__chunk *c)
{
	return c->free == percpu__chunk_geometry.grains;
}

static uint32_t list_of(const struct percpu__chunk *c)
{
	return c->room == 0 ? 0 : percpu__book_log(c->room) + 1;
}

static void link_in(struct percpu__chunk *c)
{
	c->list = list_of(c);
	c->link = &lists[c->list];
	c->next = *c->link;
	if (c->next != NULL)
		c->next->link = &c->next;
	*c->link = c;
	empties += is_empty(c);
}

static void link_out(struct percpu__chunk *c)
{
	*c->link = c->next;
	if (c->next != NULL)
		c->next->link = c->link;
}

/* Objects of @c were taken or given, of which @free grains were free before. */
static void count_use(const struct percpu__chunk *c, uint32_t free)
{
	use.taken += ((size_t)free - c->free) * PERCPU__GRAIN;
	if (use.taken > use.peak)
		use.peak = use.taken;
}

/* Book changes to @c, of which @free grains were free before. */
static void changed(struct percpu__chunk *c, uint32_t free)
{
	empties += is_empty(c);
	empties -= free == percpu__chunk_geometry.grains;
	if (c->list == list_of(c))
		return;
	empties -= is_empty(c);
	link_out(c);
	link_in(c);
}

static void restore_chunk(struct percpu__chunk *c)
{
	percpu__book_rebuild(c);
	use.taken += ((size_t)percpu__chunk_geometry.grains - c->free) *
		     PERCPU__GRAIN;
	count_chunks(1);
	link_in(c);
}

static void restore(void)
{
	struct percpu__chunk *c;
	size_t at = 0;

	for (uint32_t i = 0; i < LISTS; i++)
		lists[i] = NULL;
	empties = 0;
	chunks = 0;
	use.taken = 0;
	percpu__cache_forget();
	percpu__debug_forked();
	while ((c = percpu__registry_next(&at)) != NULL)
		restore_chunk(c);
	__atomic_store_n(&percpu__central_restored,
			 percpu__central_restored + 1, __ATOMIC_RELEASE);
}

void percpu__central_enter(void)
{
	if (percpu__lock_take())
		restore();
}

void percpu__central_leave(void)
{
	percpu__lock_drop();
}

static unsigned take_from(struct percpu__chunk *c, uint32_t grains,
			  uint32_t align, unsigned want, uint64_t *out)
{
	uint32_t free = c->free;
	unsigned n = percpu__book_take(c, grains, align, want, out);

	count_use(c, free);
	changed(c, free);
	return n;
}

static unsigned take(uint32_t grains, uint32_t align, unsigned want,
		     uint64_t *out)
{
	unsigned n = 0;

	for (uint32_t i = percpu__book_log(grains) + 1; i < LISTS; i++) {
		struct percpu__chunk *c = lists[i];

		while (c != NULL && n == 0) {
			struct percpu__chunk *next = c->next;

			n = take_from(c, grains, align, want, out);
			c = next;
		}
	}
	return n;
}

unsigned percpu__central_take(uint32_t grains, uint32_t align, unsigned want,
			      uint64_t *out)
{
	unsigned n;

	percpu__central_enter();
	n = take(grains, align, want, out);
	percpu__central_leave();
	return n;
}

/* How many of @items, from the first, lie in its chunk. */
static unsigned same_chunk(const uint64_t *items, unsigned n)
{
	struct percpu__chunk *c =
		percpu__chunk_of(percpu__book_handle(items[0]));
	unsigned i = 1;

	while (i < n && percpu__chunk_of(percpu__book_handle(items[i])) == c)
		i++;
	return i;
}

static void give(const uint64_t *items, unsigned n)
{
	struct percpu__chunk *c =
		percpu__chunk_of(percpu__book_handle(items[0]));
	uint32_t free = c->free;

	percpu__book_give(c, items, n);
	count_use(c, free);
	changed(c, free);
}

bool percpu__central_give(const uint64_t *items, unsigned n, uint32_t seen)
{
	bool still;

	percpu__central_enter();
	still = percpu__central_seen() == seen;
	for (unsigned i = 0; still && i < n;) {
		unsigned same = same_chunk(items + i, n - i);

		give(items + i, same);
		i += same;
	}
	percpu__central_leave();
	return still;
}

int percpu__central_grow(void)
{
	unsigned n = __atomic_load_n(&chunks, __ATOMIC_RELAXED);
	struct percpu__chunk *c = percpu__chunk_create(n >= MANY);
	bool added = false;

	if (c == NULL)
		return -ENOMEM;
	while (!added) {
		if (percpu__registry_reserve() < 0) {
			percpu__chunk_destroy(c);
			return -ENOMEM;
		}
		percpu__central_enter();
		added = percpu__registry_add(c);
		if (added) {
			link_in(c);
			count_chunks(1);
		}
		percpu__central_leave();
	}
	return 0;
}

/* Take an empty chunk out if there are more than @keep. */
static struct percpu__chunk *take_empty(unsigned keep)
{
	struct percpu__chunk *c = NULL;

	percpu__central_enter();
	if (empties > keep) {
		c = lists[LISTS - 1];
		for (uint32_t i = LISTS - 1; c == NULL || !is_empty(c);)
			c = c != NULL && c->next != NULL ? c->next : lists[--i];
		link_out(c);
		empties--;
		count_chunks(-1);
		percpu__registry_remove(c);
	}
	percpu__central_leave();
	return c;
}

void percpu__central_shrink(unsigned keep, size_t *bytes)
{
	struct percpu__chunk *c;

	while ((c = take_empty(keep)) != NULL) {
		if (bytes != NULL)
			*bytes += percpu__resident_bytes(
				c->base, percpu__chunk_geometry.len);
		percpu__chunk_destroy(c);
	}
}

void percpu__central_take_pages(struct percpu__chunk *c, uint32_t page,
				uint32_t n)
{
	uint32_t free = c->free;

	percpu__book_take_pages(c, page, n);
	changed(c, free);
}

void percpu__central_give_pages(struct percpu__chunk *c, uint32_t page,
				uint32_t n)
{
	uint32_t free = c->free;

	percpu__book_give_pages(c, page, n);
	changed(c, free);
}

void percpu__central_take_free(struct percpu__chunk *c, uint32_t first,
			       uint32_t end)
{
	uint32_t free = c->free;

	percpu__book_take_free(c, first, end);
	changed(c, free);
}

void percpu__central_give_free(struct percpu__chunk *c, uint32_t first,
			       uint32_t end)
{
	uint32_t free = c->free;

	percpu__book_give_free(c, first, end);
	changed(c, free);
}

struct percpu__central_use percpu__central_use(void)
{
	return use;
}

unsigned percpu__central_chunks(void)
{
	return chunks;
}

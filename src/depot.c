/* SPDX-License-Identifier: MIT */
/*
 * depot.c: caches of items: what is behind the magazines of magazine.c.
 *
 *   page 0    the cache: what sequences read | the lock, the count, numbers
 *   page 1... the depot: an array of items, as long as max_items
 *
 * The lock of a cache guards its depot, its numbers, and the right to shut its
 * magazines. Under it a thread moves items between the depot and the magazine
 * of the CPU it is on, one sequence an item.
 *
 * 1. An item that is neither with a thread nor with the backing is in a
 *    magazine or in items[0 .. depot - 1]: whoever has the lock and finds both
 *    empty knows that nothing is cached. A thread has an item in hand only
 *    under the lock, or as its own.
 *    Nobody learns that from magazines that are open: an item may go from one
 *    not yet looked at to one that was. So a get fails only after it has shut
 *    all of them with the depot empty: when the fence was over none was cached.
 *    Then it leaves them shut: the cache is dry until a put, under the lock,
 *    opens them, before it puts. So gets that find it dry fail without a fence,
 *    and without the lock: when they looked nothing was cached, and a put that
 *    had ended by then had opened them.
 * 2. depot <= limit always: what would go beyond it goes to the backing. With a
 *    backing, limit and the magazines together are max_items.
 * 3. A put allocates nothing: the array is reserved when the cache is made. So
 *    there is no put that fails for want of memory, and no list through freed
 *    items.
 * 4. The backing is called without the lock; what goes there is in nobody's
 *    reach meanwhile.
 * 5. In a child of fork the lock is free, and magazines that another thread had
 *    shut are open for the first that takes the lock. A move takes an item
 *    from its place before it puts it elsewhere, so a fork in between may lose
 *    the item in the child. If nothing was cached, it is dry there, too.
 *
 * Rejected: batches as blocks in a list (the block for the next one must come
 * from somewhere at a put); moving batches through a buffer without the lock,
 * where a get elsewhere finds nothing while 127 items are on their way.
 */
#include "depot.h"

#include "annot.h"

#include <errno.h>

static void open(struct percpu__depot *d)
{
	__atomic_store_n(&d->dry, false, __ATOMIC_RELEASE);
	percpu__magazine_open(&d->c, d->capacity);
}

void percpu__depot_take(struct percpu__depot *d)
{
	if (percpu__mutex_take(&d->lock))
		open(d);
}

void percpu__depot_drop(struct percpu__depot *d)
{
	percpu__mutex_drop(&d->lock);
}

size_t percpu__depot_take_out(struct percpu__depot *d, uint64_t *out,
			      size_t keep)
{
	size_t n = 0;

	while (n < PERCPU__GIVE_MAX && d->depot > keep)
		out[n++] = d->items[--d->depot];
	d->stats.frees += n;
	return n;
}

void percpu__depot_give(struct percpu__depot *d, const uint64_t *items,
			size_t n)
{
	for (size_t i = 0; i < n; i++)
		d->attr.free(d->attr.arg, items[i]);
}

/* From this CPU's magazine to the depot: a batch, or as much as there is. */
static void flush(struct percpu__depot *d)
{
	uint64_t item;

	for (size_t i = 0; i < d->stats.batch && d->depot < d->limit; i++) {
		if (!percpu__magazine_get(&d->c, &item))
			return;
		percpu__depot_add(d, item);
	}
}

/*
 * From the depot one item, and the rest of a batch to this CPU's magazine. An
 * item leaves the depot before it is elsewhere.
 */
static bool fill(struct percpu__depot *d, uint64_t *item)
{
	if (d->depot == 0)
		return percpu__magazine_get(&d->c, item);
	*item = d->items[--d->depot];
	d->stats.fills++;
	for (size_t i = 1; i < d->stats.batch && d->depot > 0; i++) {
		if (!percpu__magazine_put(&d->c, d->items[--d->depot])) {
			d->depot++;
			break;
		}
	}
	return true;
}

/* Empty a magazine, which is shut, as far as there is room: whether any. */
static bool empty(struct percpu__depot *d, struct percpu_stack *s)
{
	size_t had = d->depot;

	while (s->count > 0 && d->depot < d->limit) {
		uint64_t item = s->item[s->count - 1];

		__atomic_store_n(&s->count, s->count - 1, __ATOMIC_RELEASE);
		percpu__depot_add(d, item);
	}
	return d->depot != had;
}

bool percpu__depot_any_slot(unsigned slot)
{
	(void)slot;
	return true;
}

bool percpu__depot_shut(struct percpu__depot *d)
{
	return d->capacity != 0 &&
	       (d->dry || percpu__magazine_shut(&d->c, d->capacity));
}

void percpu__depot_reopen(struct percpu__depot *d)
{
	if (d->depot != 0 || percpu__magazine_count(&d->c) != 0)
		open(d);
	else
		__atomic_store_n(&d->dry, true, __ATOMIC_RELEASE);
}

void percpu__depot_collect(struct percpu__depot *d,
			   bool (*which)(unsigned slot))
{
	bool any = false;

	if (!percpu__depot_shut(d))
		return;
	for (unsigned i = 0; i < percpu__rt.nr_slots; i++)
		if (percpu__magazine_of(&d->c, i)->count != 0 && which(i))
			any |= empty(d, percpu__magazine_of(&d->c, i));
	percpu__depot_reopen(d);
	d->stats.steals += any;
}

static bool seems_any(const struct percpu__depot *d,
		      bool (*which)(unsigned slot))
{
	if (d->capacity == 0)
		return false;
	for (unsigned i = 0; i < percpu__rt.nr_slots; i++)
		if (__atomic_load_n(&percpu__magazine_of(&d->c, i)->count,
				    __ATOMIC_RELAXED) != 0 &&
		    which(i))
			return true;
	return false;
}

bool percpu__depot_gather(struct percpu__depot *d, bool (*which)(unsigned slot))
{
	if (!seems_any(d, which))
		return false;
	percpu__depot_take(d);
	percpu__depot_collect(d, which);
	percpu__depot_drop(d);
	return true;
}

static bool from_cache(struct percpu__depot *d, uint64_t *item, bool steal)
{
	bool got;

	if (percpu__depot_is_dry(d))
		return false;
	percpu__depot_take(d);
	if (steal && d->depot == 0)
		percpu__depot_collect(d, percpu__depot_any_slot);
	got = fill(d, item);
	percpu__depot_drop(d);
	return got;
}

static bool from_backing(struct percpu__depot *d, uint64_t *item)
{
	uint64_t fresh;

	if (d->attr.alloc(d->attr.arg, &fresh) != 0)
		return false;
	__atomic_fetch_add(&d->allocs, 1, __ATOMIC_RELAXED);
	*item = fresh;
	return true;
}

static bool get(struct percpu__depot *d, uint64_t *item)
{
	if (percpu__magazine_get(&d->c, item))
		return true;
	if (d->attr.alloc != NULL &&
	    (from_cache(d, item, false) || from_backing(d, item)))
		return true;
	return from_cache(d, item, true);
}

int percpu_cache_get_u64(struct percpu_cache *c, uint64_t *item)
{
	if (!get(percpu__depot_of(c), item))
		return -ENOENT;
	percpu__annot_tsan_acquire(c);
	return 0;
}

/* Under the lock: to this CPU's magazine, or else the depot. */
static bool keep(struct percpu__depot *d, uint64_t item)
{
	if (d->dry)
		open(d);
	if (percpu__magazine_put(&d->c, item))
		return true;
	flush(d);
	d->stats.flushes++;
	if (percpu__magazine_put(&d->c, item))
		return true;
	if (d->depot >= d->limit)
		return false;
	percpu__depot_add(d, item);
	return true;
}

int percpu_cache_put_u64(struct percpu_cache *c, uint64_t item)
{
	struct percpu__depot *d = percpu__depot_of(c);
	uint64_t out[PERCPU__GIVE_MAX];
	size_t n = 0;
	bool kept;

	percpu__annot_tsan_release(c);
	if (percpu__magazine_put(c, item))
		return 0;
	percpu__depot_take(d);
	if (d->attr.free != NULL && d->depot >= d->limit)
		n = percpu__depot_take_out(d, out, d->limit - d->limit / 4 - 1);
	kept = keep(d, item);
	if (!kept && d->attr.free != NULL)
		d->stats.frees++;
	percpu__depot_drop(d);
	percpu__depot_give(d, out, n);
	if (kept)
		return 0;
	if (d->attr.free == NULL)
		return -ENOSPC;
	percpu__depot_give(d, &item, 1);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * depot_life.c: making caches, emptying them, and their end.
 */
#include "depot_list.h"

#include "os.h"
#include "policy.h"

#include <errno.h>
#include <percpu/cpu.h>

#define BATCH 127u	 /* by default */
#define BATCH_MAX 255u	 /* two of them, and their count, are one page */
#define ITEMS_MIN 65536u /* max_items by default, or more */
#define HALF 2048u	 /* of a page of 4096 bytes, or less of a larger */

/* Give to the backing what the depot has beyond @keep, and no more than it. */
static size_t shrink(struct percpu__depot *d, size_t keep)
{
	uint64_t out[PERCPU__GIVE_MAX];
	size_t given = 0;
	size_t most;
	size_t n;

	percpu__depot_take(d);
	most = d->depot > keep ? d->depot - keep : 0;
	percpu__depot_drop(d);
	while (given < most) {
		percpu__depot_take(d);
		n = percpu__depot_take_out(d, out, keep);
		percpu__depot_drop(d);
		if (n == 0)
			break;
		percpu__depot_give(d, out, n);
		given += n;
	}
	return given;
}

/* The pages beyond the depot's items hold nothing. */
static void drop_pages(struct percpu__depot *d)
{
	size_t page = percpu__os_page_size();
	size_t used;

	percpu__depot_take(d);
	used = percpu__os_pages(d->depot * sizeof(uint64_t));
	if (d->len - page > used)
		percpu__os_drop((char *)d->items + used, d->len - page - used);
	percpu__depot_drop(d);
}

size_t percpu_cache_drain(struct percpu_cache *c)
{
	struct percpu__depot *d = percpu__depot_of(c);
	struct percpu_cache_stats s;

	if (d->attr.free != NULL) {
		shrink(d, 0);
		percpu__depot_take(d);
		percpu__depot_collect(d, percpu__depot_any_slot);
		percpu__depot_drop(d);
		shrink(d, 0);
		drop_pages(d);
	}
	percpu_cache_stats(c, &s);
	return s.depot + s.magazines;
}

static bool is_offline(unsigned slot)
{
	return !percpu_cpu_online(slot);
}

static size_t online_cpus(void)
{
	size_t n = 0;

	for (unsigned i = 0; i < percpu_nr_cpu_ids(); i++)
		n += percpu_cpu_online(i);
	return n;
}

size_t percpu_cache_trim(struct percpu_cache *c)
{
	struct percpu__depot *d = percpu__depot_of(c);
	size_t keep = online_cpus() * d->stats.batch;
	size_t given;

	if (d->attr.free == NULL)
		return 0;
	given = shrink(d, keep);
	if (percpu__policy_peek().index != PERCPU_INDEX_CID &&
	    percpu__depot_gather(d, is_offline))
		given += shrink(d, keep);
	drop_pages(d);
	return given;
}

void percpu_cache_stats(struct percpu_cache *c, struct percpu_cache_stats *s)
{
	struct percpu__depot *d = percpu__depot_of(c);

	percpu__depot_take(d);
	*s = d->stats;
	s->allocs = __atomic_load_n(&d->allocs, __ATOMIC_RELAXED);
	s->depot = (size_t)d->depot;
	s->magazines = d->capacity != 0 ? (size_t)percpu__magazine_count(c) : 0;
	percpu__depot_drop(d);
}

/* The numbers that @attr leaves to us; false if it asks for too much. */
static bool choose(struct percpu__depot *d,
		   const struct percpu_cache_attr *attr)
{
	size_t slots = percpu_nr_slots();
	size_t batch = attr->batch != 0 ? attr->batch : BATCH;
	size_t max = attr->max_items;

	if (batch > BATCH_MAX)
		return false;
	if (max == 0)
		max = slots * batch * 16 > ITEMS_MIN ? slots * batch * 16 :
						       ITEMS_MIN;
	if (batch > max / 4 / slots)
		batch = max / 4 / slots;
	d->attr = *attr;
	d->stats.max_items = max;
	d->stats.batch = batch;
	return true;
}

/* Whether magazines can be used, and emptied from elsewhere. */
static bool can_shut(void)
{
	return percpu__policy().mode == PERCPU_MODE_RSEQ && percpu_fence() == 0;
}

/* Magazines; those that nobody can shut have no room. */
static int fill_in(struct percpu__depot *d)
{
	if (!can_shut())
		d->stats.batch = 0;
	d->capacity = 2 * d->stats.batch;
	d->limit = d->stats.max_items;
	if (d->attr.free != NULL)
		d->limit -= percpu_nr_slots() * (size_t)d->capacity;
	d->c.magazines = percpu_stack_new((size_t)d->capacity);
	return d->c.magazines != NULL ? 0 : -ENOMEM;
}

/*
 * Where in its page the depot is: in the half in which its magazines do not
 * begin. Each get and put stores a magazine's count and loads the depot's first
 * words after the last one's store. If they are equally far into their pages,
 * an AMD core of 2022 takes the load for one of what was stored whenever some
 * bits of the two pages' physical addresses agree too, and waits: one process
 * in sixteen takes 10.4 ns for a pair where others take 2.3.
 */
static size_t place(const struct percpu__depot *d)
{
	return ~(size_t)(uintptr_t)d->c.magazines & HALF;
}

static void *mapping(const struct percpu__depot *d)
{
	return (char *)d->items - percpu__os_page_size();
}

/* All zero but for what choose(), fill_in() and the mapping itself say. */
static struct percpu__depot *map(const struct percpu__depot *chosen)
{
	size_t page = percpu__os_page_size();
	size_t items = chosen->stats.max_items;
	struct percpu__depot *d;
	size_t len;
	char *p;

	_Static_assert(sizeof(*d) <= HALF, "a depot is in half a page");
	if (items > (SIZE_MAX / 2 - 2 * page) / sizeof(uint64_t))
		return NULL;
	len = page + percpu__os_pages(items * sizeof(uint64_t));
	p = percpu__os_map(len);
	if (p == NULL)
		return NULL;
	d = (struct percpu__depot *)(void *)(p + place(chosen));
	*d = *chosen;
	d->len = len;
	d->items = (uint64_t *)(void *)(p + page);
	return d;
}

struct percpu_cache *percpu_cache_create(const struct percpu_cache_attr *attr)
{
	const struct percpu_cache_attr none = { .max_items = 0 };
	struct percpu__depot chosen = { .len = 0 };
	struct percpu__depot *d = NULL;

	if (!choose(&chosen, attr != NULL ? attr : &none)) {
		errno = EINVAL;
		return NULL;
	}
	if (percpu__mutex_start() == 0 && fill_in(&chosen) == 0)
		d = map(&chosen);
	if (d == NULL) {
		percpu_free(chosen.c.magazines);
		errno = ENOMEM;
		return NULL;
	}
	percpu__mutex_init(&d->lock);
	percpu__magazine_open(&d->c, d->capacity);
	percpu__depot_list_add(d);
	return &d->c;
}

/* Give away all of *@n @items, and what the backing puts there meanwhile. */
static bool give_all(struct percpu__depot *d, uint64_t *items, uint64_t *n)
{
	bool any = *n > 0;
	uint64_t item;

	while (*n > 0) {
		item = items[--*n];
		percpu__depot_give(d, &item, 1);
	}
	return any;
}

/*
 * Nobody else uses it, but for the backing: so the magazines are shut by their
 * bounds, without a fence, and what the backing puts goes to the depot. Under
 * the lock, so that in a child of fork nobody after that is the first to take
 * it, who opens them.
 */
static void shut_all(struct percpu__depot *d)
{
	percpu__depot_take(d);
	d->c.capacity = 0;
	d->c.floor = UINT64_MAX;
	percpu__depot_drop(d);
}

/*
 * If the backing gets, too, they may open again in between, and get items
 * behind us: true if there may be more.
 */
static bool empty_all(struct percpu__depot *d)
{
	bool any = false;

	shut_all(d);
	for (unsigned i = 0; i < percpu__rt.nr_slots; i++) {
		struct percpu_stack *s = percpu__magazine_of(&d->c, i);

		any |= give_all(d, s->item, &s->count);
	}
	return give_all(d, d->items, &d->depot) || any;
}

void percpu_cache_destroy(struct percpu_cache *c)
{
	struct percpu__depot *d;

	if (c == NULL)
		return;
	d = percpu__depot_of(c);
	percpu__depot_list_remove(d);
	while (d->attr.free != NULL && empty_all(d))
		;
	percpu_free(c->magazines);
	percpu__os_release(mapping(d), d->len);
}

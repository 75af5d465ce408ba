/* SPDX-License-Identifier: MIT */
/*
 * depot_limit.c: the item that is wanted is not just any. This CPU's magazine
 * is looked through by taking items to the depot and putting them back, as many
 * as the depot has room for; then the depot; then all magazines, shut.
 */
#include "depot.h"

#include <errno.h>

/*
 * Take an item that is at most @limit out of @items, of which there are *@n.
 * The last leaves its place before it is in the other: a child of fork may miss
 * it, and has none twice.
 */
static bool pick(uint64_t *items, uint64_t *n, uint64_t limit, uint64_t *item)
{
	for (uint64_t i = *n; i-- > 0;) {
		uint64_t found = items[i];
		uint64_t last = items[*n - 1];

		if (found > limit)
			continue;
		__atomic_store_n(n, *n - 1, __ATOMIC_RELEASE);
		__atomic_store_n(&items[i], last, __ATOMIC_RELEASE);
		*item = found;
		return true;
	}
	return false;
}

/* Among the items of this CPU's magazine for which the depot has room. */
static bool pick_own(struct percpu__depot *d, uint64_t limit, uint64_t *item)
{
	size_t had = d->depot;
	bool found = false;
	uint64_t seen;

	while (!found && d->depot < d->limit &&
	       percpu__magazine_get(&d->c, &seen)) {
		found = seen <= limit;
		if (found)
			*item = seen;
		else
			percpu__depot_add(d, seen);
	}
	while (d->depot > had) {
		if (!percpu__magazine_put(&d->c, d->items[--d->depot])) {
			d->depot++;
			break;
		}
	}
	return found;
}

static bool pick_depot(struct percpu__depot *d, uint64_t limit, uint64_t *item)
{
	return pick(d->items, &d->depot, limit, item);
}

static bool pick_any(struct percpu__depot *d, uint64_t limit, uint64_t *item)
{
	bool found = false;

	if (!percpu__depot_shut(d))
		return false;
	for (unsigned i = 0; i < percpu__rt.nr_slots && !found; i++) {
		struct percpu_stack *s = percpu__magazine_of(&d->c, i);

		found = pick(s->item, &s->count, limit, item);
	}
	percpu__depot_reopen(d);
	return found;
}

int percpu_cache_get_limit(struct percpu_cache *c, uint64_t limit,
			   uint64_t *item)
{
	struct percpu__depot *d = percpu__depot_of(c);
	bool found;

	if (percpu__depot_is_dry(d))
		return -ENOENT;
	percpu__depot_take(d);
	found = pick_own(d, limit, item) || pick_depot(d, limit, item) ||
		pick_any(d, limit, item);
	percpu__depot_drop(d);
	return found ? 0 : -ENOENT;
}

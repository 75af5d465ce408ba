/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_DEPOT_H
#define PERCPU_SRC_DEPOT_H
/*
 * depot.h: what a cache of percpu/cache.h is in the library; depot.c says how
 * it works.
 */
#include "magazine.h"
#include "mutex.h"

#include <percpu/base.h>

/* Items that go to the backing at once. */
#define PERCPU__GIVE_MAX 64u

struct percpu__depot {
	struct percpu_cache c; /* sequences read it: only shut() writes here */
	bool dry; /* nothing is cached, and the magazines are shut */
	struct percpu_cache_attr attr;
	uint64_t capacity; /* what c.capacity is while open; 0: no magazines */
	uint64_t *items;
	size_t limit;
	size_t len; /* bytes of the mapping */
	PERCPU_LINE_PAD(pad);
	struct percpu__mutex lock;
	uint64_t depot;
	struct percpu_cache_stats stats; /* but for this: */
	uint64_t allocs;		 /* not under the lock */
	struct percpu__depot *next;	 /* these two are depot_list.c's */
	struct percpu__depot **link;
};

static inline struct percpu__depot *percpu__depot_of(struct percpu_cache *c)
{
	return (struct percpu__depot *)(void *)c;
}

/* The lock. In a child of fork the magazines are open again then. */
void percpu__depot_take(struct percpu__depot *d);
void percpu__depot_drop(struct percpu__depot *d);

/* Under the lock: shut the magazines; false if there are none, or no fence. */
bool percpu__depot_shut(struct percpu__depot *d);

/* Open them again, or leave them shut, dry, if nothing is cached. */
void percpu__depot_reopen(struct percpu__depot *d);

/* With or without the lock; without it, whether it was at that moment. */
static inline bool percpu__depot_is_dry(const struct percpu__depot *d)
{
	return __atomic_load_n(&d->dry, __ATOMIC_ACQUIRE);
}

/*
 * Under the lock: put @item in the depot, which has room for it. Counted when
 * it is there: a child of fork may begin in between.
 */
static inline void percpu__depot_add(struct percpu__depot *d, uint64_t item)
{
	d->items[d->depot] = item;
	__atomic_store_n(&d->depot, d->depot + 1, __ATOMIC_RELEASE);
}

/*
 * Under the lock: take the last items for the backing out of the depot, down to
 * @keep of them; how many. Then, without it, hand them to the backing.
 */
size_t percpu__depot_take_out(struct percpu__depot *d, uint64_t *out,
			      size_t keep);
void percpu__depot_give(struct percpu__depot *d, const uint64_t *items,
			size_t n);

/*
 * Under the lock: move to the depot, as far as it has room, what the magazines
 * of the slots hold that @which is true for.
 */
void percpu__depot_collect(struct percpu__depot *d,
			   bool (*which)(unsigned slot));
bool percpu__depot_any_slot(unsigned slot);

/*
 * The same without the lock, and only if any of these seems to hold something:
 * whether so.
 */
bool percpu__depot_gather(struct percpu__depot *d,
			  bool (*which)(unsigned slot));

#endif

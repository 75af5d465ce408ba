/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_CACHE_H
#define PERCPU_CACHE_H
/*
 * cache.h: caches of items that threads take and give back: ids, objects.
 *
 *   struct percpu_cache_attr attr = { .alloc = new_id, .free = old_id };
 *   struct percpu_cache *c = percpu_cache_create(&attr);
 *
 *   if (percpu_cache_get(c, &id) != 0)
 *           there is none, anywhere;
 *   ...
 *   percpu_cache_put(c, id);
 *
 *   magazine of CPU 0 | CPU 1 | ...     two batches each; no lock, no atomic
 *          \            /
 *              depot                    an array, under a lock
 *                |
 *   attr.alloc, attr.free               the backing: from where all CPUs share
 *
 * An item is a word, or a pointer. Last in, first out on each CPU. A full
 * magazine moves a batch to the depot, an empty one takes a batch from there; a
 * full depot gives a batch to the backing. A get that finds neither item nor
 * backing takes what other CPUs' magazines hold.
 *
 * Effect: each item is in one place: a magazine, the depot, or with whoever got
 * it, whatever preempts, moves or signals the thread.
 * Context: threads, not signal handlers, which must not wait for the depot's
 * lock; a thread may be interrupted by a handler anywhere. In a child of fork
 * caches work; a batch that another thread was moving at the fork may be lost
 * there, never doubled. The backing is called without a lock, and may use the
 * same cache.
 * Ordering: what a thread wrote before it put an item, the thread that gets
 * that item reads.
 * Cost: a sequence; every batch, the lock. Where threads run no sequences, or
 * the system has no fence (percpu_fence()), each call takes the lock. A get
 * that finds a cache empty fences, some 10 us; until the next put, which takes
 * the lock, no other does.
 * Source: Bonwick and Adams, Magazines and Vmem, 2001; Linux, the caches of
 * I/O addresses (iova), from which come batches of 127.
 */
#include <errno.h>
#include <percpu/alloc.h>
#include <percpu/arch.h>
#include <percpu/base.h>

PERCPU__DECLS_BEGIN

/* What inlined operations read; shut() in the library sets both bounds. */
struct percpu_cache {
	void PERCPU *magazines; /* struct percpu_stack, one per CPU */
	uint64_t capacity;	/* items of a magazine; 0: shut */
	uint64_t floor;		/* 0; UINT64_MAX: shut */
};

/*
 * All zero, or a NULL in place of it, is good.
 *
 * max_items  the most items that are cached in all (with @free; without it
 *            there is nowhere for the next one, so the depot alone takes so
 *            many, and a put fails beyond that). 0: 65536, or 8 magazines per
 *            CPU if that is more. Fewer than 4 for each percpu_nr_slots(): no
 *            magazines, each call takes the lock.
 * batch      items that move at once, 1 to 255; 0: 127. Less where magazines,
 *            which hold two batches, would hold more than half of max_items.
 * alloc      when nothing is cached on this CPU or in the depot: 0 and an item,
 *            or anything else, which percpu_cache_get() makes -ENOENT. NULL:
 *            none.
 * free       what is cached no longer. NULL: none, and percpu_cache_destroy()
 *            forgets what is cached.
 * arg        handed to both.
 */
struct percpu_cache_attr {
	size_t max_items;
	unsigned batch;
	int (*alloc)(void *arg, uint64_t *item);
	void (*free)(void *arg, uint64_t item);
	void *arg;
};

/*
 * max_items  as given, or chosen.
 * batch      as given, or less; 0: there are no magazines here.
 * depot      items in the depot now.
 * magazines  items in all magazines; exact while nobody gets and puts.
 * fills      batches from the depot, and
 * flushes    batches to it, or single items where there are no magazines.
 * steals     times that magazines of other CPUs were emptied.
 * allocs     items from the backing, and
 * frees      items to it.
 */
struct percpu_cache_stats {
	size_t max_items;
	size_t batch;
	size_t depot;
	size_t magazines;
	uint64_t fills;
	uint64_t flushes;
	uint64_t steals;
	uint64_t allocs;
	uint64_t frees;
};

/*
 * An empty cache as *attr says, or NULL with errno EINVAL, batch is above 255,
 * or ENOMEM. Memory for max_items is reserved, and used as far as needed.
 */
struct percpu_cache *percpu_cache_create(const struct percpu_cache_attr *attr);

/* Give all items to the backing, and the cache back. NULL is fine. */
void percpu_cache_destroy(struct percpu_cache *c);

/*
 * Give all items to the backing. Returns how many are cached then: 0, unless
 * others put items meanwhile, there is no attr.free, or the system refuses the
 * fence it granted before. Waits for the lock, and a fence: some 10 us.
 */
size_t percpu_cache_drain(struct percpu_cache *c);

/*
 * Give to the backing what an idle program need not keep: what the depot holds
 * beyond a batch for each CPU that is on line, once the magazines of CPUs that
 * are not have gone there. Returns how many items those were.
 */
size_t percpu_cache_trim(struct percpu_cache *c);

void percpu_cache_stats(struct percpu_cache *c, struct percpu_cache_stats *s);

/*
 * Get an item that is at most @limit: of this CPU's magazine, the depot or
 * other CPUs' magazines; all others stay. 0, or -ENOENT: at some moment of the
 * call none was cached, or the system refuses the fence that it granted before.
 * O(n) in the items cached, under the lock; and a fence, if it is neither here
 * nor in the depot, unless a get found nothing cached since the last put.
 */
int percpu_cache_get_limit(struct percpu_cache *c, uint64_t limit,
			   uint64_t *item);

/* The functions, and the ways out of the inlined sections. */
int percpu_cache_get_u64(struct percpu_cache *c, uint64_t *item);
int percpu_cache_put_u64(struct percpu_cache *c, uint64_t item);
bool percpu__magazine_push(void PERCPU *h, const uint64_t *capacity,
			   uint64_t item);
bool percpu__magazine_pop(void PERCPU *h, const uint64_t *floor,
			  uint64_t *item);

/*
 * Take an item to *item: 0, or -ENOENT, at some moment of the call none was
 * cached, nor could be had from the backing (or the system refuses the fence
 * that it granted before); *item is as before. The first to fail after a put
 * costs a fence.
 */
PERCPU__INLINE int percpu_cache_get(struct percpu_cache *c, uint64_t *item)
{
	uint64_t bottom;
	uint64_t top;
	uint64_t n;

	if (!percpu__try_gated_pop(c->magazines, &c->floor, &top, &n,
				   &bottom) ||
	    n <= bottom)
		return percpu_cache_get_u64(c, item);
	*item = top;
	return 0;
}

/*
 * Give an item back: 0, or -ENOSPC, the depot holds max_items and there is no
 * attr.free; the item is still the caller's.
 */
PERCPU__INLINE int percpu_cache_put(struct percpu_cache *c, uint64_t item)
{
	uint64_t top;
	uint64_t n;

	if (!percpu__try_gated_push(c->magazines, &c->capacity, item, &n,
				    &top) ||
	    n >= top)
		return percpu_cache_put_u64(c, item);
	return 0;
}

/* The same for pointers: NULL with errno ENOENT. */
static inline void *percpu_cache_get_ptr(struct percpu_cache *c)
{
	uint64_t item;

	if (percpu_cache_get(c, &item) == 0)
		return (void *)(uintptr_t)item;
	errno = ENOENT;
	return NULL;
}

static inline int percpu_cache_put_ptr(struct percpu_cache *c, void *item)
{
	return percpu_cache_put(c, (uint64_t)(uintptr_t)item);
}

PERCPU__DECLS_END
#endif

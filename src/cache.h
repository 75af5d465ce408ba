/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_CACHE_H
#define PERCPU_SRC_CACHE_H
/*
 * cache.h: a cache of free objects per slot, with a bin for each small size.
 *
 * An item is a handle with its lowest bits as book.h says. All of this may fail
 * at any time, for want of items or room or because somebody else is at it;
 * the caller then goes to the chunks.
 */
#include "slot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bin 0 is for 4 bytes, bin n for 8 n. */
#define PERCPU__BINS 129u
#define PERCPU__BIN_MAX 1024u /* bytes */

/* The most items that a bin holds, a multiple of 2. */
static inline unsigned percpu__cache_limit(unsigned bin)
{
	return bin <= 32 ? 128 : bin <= 64 ? 64 : 32;
}

#define PERCPU__BIN_LIMIT_MAX 128u

/* Have caches; 0 or -ENOMEM, where the next call tries again. */
int percpu__cache_start(void);

/*
 * Where things are; set by percpu__cache_start() and then the same for ever,
 * but for base. A thread that comes here for the first time may come while
 * another starts the caches: it looks at @rseq or base before all else.
 */
struct percpu__cache_map {
	struct percpu__caches caches;
	uint32_t rseq; /* the policy is rseq, and all of this is there */
	struct percpu__cache_bin {
		uint32_t at; /* bytes from the start of a cache */
		uint32_t limit;
	} bins[PERCPU__BINS];
};

extern struct percpu__cache_map percpu__cache_map;

/* Pairs with the release in percpu__cache_start(). */
static inline bool percpu__cache_section(struct percpu__section *s)
{
	return __atomic_load_n(&percpu__cache_map.rseq, __ATOMIC_ACQUIRE) !=
		       0 &&
	       percpu__slot_inline_section(s);
}

/* As below, in any mode. */
bool percpu__cache_pop_slowly(unsigned bin, uint64_t *item);
bool percpu__cache_push_slowly(unsigned bin, uint64_t item);

/* Take an item from the calling thread's cache. */
static inline bool percpu__cache_pop(unsigned bin, uint64_t *item)
{
	const struct percpu__cache_map *m = &percpu__cache_map;
	struct percpu__section s;

	if (__builtin_expect(percpu__cache_section(&s), 1)) {
		enum percpu__ran ran = percpu__section_pop(
			s, &m->caches, m->bins[bin].at, item);

		if (ran == PERCPU__COMMITTED)
			return true;
		if (ran == PERCPU__MISSED)
			return false;
	}
	return percpu__cache_pop_slowly(bin, item);
}

/* Put one there. */
static inline bool percpu__cache_push(unsigned bin, uint64_t item)
{
	const struct percpu__cache_map *m = &percpu__cache_map;
	struct percpu__section s;

	if (__builtin_expect(percpu__cache_section(&s), 1)) {
		enum percpu__ran ran =
			percpu__section_push(s, &m->caches, m->bins[bin].at,
					     m->bins[bin].limit, item);

		if (ran == PERCPU__COMMITTED)
			return true;
		if (ran == PERCPU__MISSED)
			return false;
	}
	return percpu__cache_push_slowly(bin, item);
}

/*
 * Hand what caches hold to @give, bin by bin: all caches', as far as the system
 * lets others' be reached, or the calling thread's alone. False if there are
 * none. Waits for another thread that is at it.
 */
typedef void percpu__cache_give_fn(const uint64_t *items, unsigned n);
bool percpu__cache_drain(bool all, percpu__cache_give_fn *give);

/*
 * Hand what the caches of the slots hold that @gone is true for to @give, and
 * their pages to the system; nothing where the system lets nobody reach them.
 */
void percpu__cache_leave(bool (*gone)(unsigned slot),
			 percpu__cache_give_fn *give);

/* Bytes of address space that the caches take. */
size_t percpu__cache_mapped(void);

/*
 * Nobody gets at caches from now on: at the start of a child of fork, until
 * percpu__cache_forget().
 */
void percpu__cache_shut(void);

/* All caches become empty. Nobody else uses them: in a child of fork. */
void percpu__cache_forget(void);

/* Give back the caches' memory. They are empty. */
void percpu__cache_release(void);

#endif

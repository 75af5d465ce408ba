/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_BOOK_H
#define PERCPU_SRC_BOOK_H
/*
 * book.h: what of a chunk is taken. Sizes and places are in grains. Not locked:
 * the caller sees to it that one thread at a time works on a chunk's book; the
 * bytes of cells alone are also read and written by owners of objects.
 */
#include "chunk.h"

/* An object's handle, and in its lowest bit, which handles leave free: */
#define PERCPU__DIRTY 1u /* it may not be zero in every slot */

static inline void *percpu__book_handle(uint64_t item)
{
	return (void *)(uintptr_t)(item & ~(uint64_t)PERCPU__DIRTY);
}

/*
 * Take up to @want objects of @grains, 1 or an even number, at multiples of
 * @align, a power of two that is even unless @grains is 1, and that divides
 * @grains unless @want is 1; put them to @out, dirty or not, in ascending
 * order. Returns how many there were room for; if none, c->room tells that
 * from then on.
 * Cost: O(grains of a unit / 64) at most.
 */
unsigned percpu__book_take(struct percpu__chunk *c, uint32_t grains,
			   uint32_t align, unsigned want, uint64_t *out);

/* Give back @n objects of @c, which the program does not have, in any order. */
void percpu__book_give(struct percpu__chunk *c, const uint64_t *items,
		       unsigned n);

/* The grains of the object of @c that starts at @grain. */
uint32_t percpu__book_size(const struct percpu__chunk *c, uint32_t grain);

/* The first place at or after @grain where an object starts; or all grains. */
uint32_t percpu__book_next_object(const struct percpu__chunk *c,
				  uint32_t grain);

/* The grains of the longest free run. */
uint32_t percpu__book_longest(const struct percpu__chunk *c);

/* Whether an object starts at @grain. */
bool percpu__book_starts(const struct percpu__chunk *c, uint32_t grain);

/* Whether the program has the object that starts at @grain; false if none. */
bool percpu__book_live(const struct percpu__chunk *c, uint32_t grain);

/* Whether @grain is taken. */
bool percpu__book_used(const struct percpu__chunk *c, uint32_t grain);

/* Take, or give back, grains, or whole pages, that no object lies in. */
void percpu__book_take_free(struct percpu__chunk *c, uint32_t first,
			    uint32_t end);
void percpu__book_give_free(struct percpu__chunk *c, uint32_t first,
			    uint32_t end);
void percpu__book_take_pages(struct percpu__chunk *c, uint32_t first,
			     uint32_t count);
void percpu__book_give_pages(struct percpu__chunk *c, uint32_t first,
			     uint32_t count);

/*
 * Make the book anew from its cells: taken is what the program has. The
 * chunk's place in a list is left as it is.
 */
void percpu__book_rebuild(struct percpu__chunk *c);

/* floor(log2(@n)) of a number that is not 0. */
static inline uint32_t percpu__book_log(uint32_t n)
{
	return 31u - (uint32_t)__builtin_clz(n);
}

#endif

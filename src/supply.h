/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SUPPLY_H
#define PERCPU_SRC_SUPPLY_H
/*
 * supply.h: between caches and chunks: batches, growth, and what to do before
 * memory is said to be short.
 */
#include "book.h"

/* Have what allocating needs; 0 or -ENOMEM, where the next call tries again. */
int percpu__supply_start(void);

/*
 * Take up to @want objects, at least one, as percpu__book_take() does; 0 if
 * memory is short.
 */
unsigned percpu__supply_take(uint32_t grains, uint32_t align, unsigned want,
			     uint64_t *out);

/* An item for @bin, whose cache is empty, and some for the cache; or false. */
bool percpu__supply_refill(unsigned bin, uint64_t *item);

/*
 * Put @item, held since @seen (percpu__central_seen()), to @bin, whose cache is
 * full, and make room in the cache.
 */
void percpu__supply_flush(unsigned bin, uint64_t item, uint32_t seen);

/*
 * With many slots: make a dirty item zero, and others of its bin with it. False
 * if the item must be forgotten: this is a child of fork since it was taken.
 */
bool percpu__supply_wash(unsigned bin, uint64_t *item);

/*
 * Give what caches hold back to the chunks: all caches, as far as they can be
 * reached, or the calling thread's alone.
 */
void percpu__supply_drain(bool all);

/* The same for the caches of the slots that @gone is true for. */
void percpu__supply_leave(bool (*gone)(unsigned slot));

#endif

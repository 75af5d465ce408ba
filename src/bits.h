/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_BITS_H
#define PERCPU_SRC_BITS_H
/*
 * bits.h: bitmaps in 64-bit words. Positions count from 0; ranges are half
 * open. Not locked.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERCPU__WORD_BITS 64u

static inline size_t percpu__bits_words(size_t bits)
{
	return (bits + PERCPU__WORD_BITS - 1) / PERCPU__WORD_BITS;
}

static inline bool percpu__bits_test(const uint64_t *map, uint32_t i)
{
	return (map[i / PERCPU__WORD_BITS] >> i % PERCPU__WORD_BITS & 1) != 0;
}

/* Set or clear [i, i + count); @count is not 0. */
void percpu__bits_mark(uint64_t *map, uint32_t i, uint32_t count, bool set);

/* The first of [from, end) whose bit is @value; @end if there is none. */
uint32_t percpu__bits_find(const uint64_t *map, bool value, uint32_t from,
			   uint32_t end);

/* One past the last set bit of [from, end); @from if there is none. */
uint32_t percpu__bits_after_last(const uint64_t *map, uint32_t from,
				 uint32_t end);

/* How many of [from, end) are set. */
uint32_t percpu__bits_count(const uint64_t *map, uint32_t from, uint32_t end);

#endif

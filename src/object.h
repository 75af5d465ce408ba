/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_OBJECT_H
#define PERCPU_SRC_OBJECT_H
/*
 * object.h: whether the program has an object: the marks in cells (cell.h) that
 * are changed without a lock.
 */
#include "book.h"

/* The bit of a cell that says whether the program has the object at @h. */
static inline uint8_t percpu__object_bit(const void *h, uint8_t byte)
{
	if (!percpu__cell_is_pair(byte))
		return PERCPU__CELL_LIVE;
	return (uintptr_t)h % PERCPU__CELL == 0 ? PERCPU__CELL_LOW :
						  PERCPU__CELL_HIGH;
}

/* The byte's other half may be another thread's only in a pair. */
static inline void percpu__object_set(uint8_t *cell, uint8_t byte, uint8_t bit)
{
	if (percpu__cell_is_pair(byte))
		__atomic_fetch_or(cell, bit, __ATOMIC_RELAXED);
	else
		__atomic_store_n(cell, byte | bit, __ATOMIC_RELAXED);
}

static inline void percpu__object_clear(uint8_t *cell, uint8_t byte,
					uint8_t bit)
{
	if (percpu__cell_is_pair(byte))
		__atomic_fetch_and(cell, (uint8_t)~bit, __ATOMIC_RELAXED);
	else
		__atomic_store_n(cell, byte & (uint8_t)~bit, __ATOMIC_RELAXED);
}

/* The object of @item goes out; false if somebody has it already. */
static inline bool percpu__object_give_out(uint64_t item)
{
	void *h = percpu__book_handle(item);
	uint8_t *cell = percpu__chunk_cell(h);
	uint8_t byte = percpu__cell_load(cell);
	uint8_t bit = percpu__object_bit(h, byte);

	if (__builtin_expect((byte & bit) != 0, 0))
		return false;
	percpu__object_set(cell, byte, bit);
	return true;
}

#endif

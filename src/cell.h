/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_CELL_H
#define PERCPU_SRC_CELL_H
/*
 * cell.h: what starts where in a unit: a byte for each 8 bytes of it.
 *
 *   0xxxxxxx   nothing starts here
 *   100lssss   an object of s cells (1 to 15); l: the program has it
 *   101l0000   an object of 16 cells or more: seven bits in each of the
 *              three bytes that follow, lowest first
 *   101lkkkk   an object of one cell, of kind k (1 to 15)
 *   11000hl    two objects of 4 bytes: l, h: the program has the lower, the
 *              higher
 *
 * A byte is written by whoever owns the object: the allocator under its lock
 * when it makes and unmakes objects, percpu_alloc() and percpu_free() without
 * one in between. Two objects of 4 bytes have different owners, so their byte
 * is changed by atomics.
 *
 * An object of two cells or more has a byte for who owns it, too, its kind: the
 * second one; the fifth where three bytes of size come first. One of one cell
 * has its kind in the cell itself, while the program has it. It is 0 from when
 * the object is made, at most 15, and changed as retire.h says.
 *
 * The bytes are the truth about a chunk: all else in its book follows from
 * them, and is made anew from them in a child of fork. So an object exists from
 * the one store that sets its first byte to the one that clears it.
 *
 * A byte and not a bit: a bit would need an atomic on either way, 14 to 18 ns
 * of the 20 that an allocation and its free take.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Objects start at multiples of 4 bytes, larger ones at multiples of a cell. */
#define PERCPU__GRAIN 4u
#define PERCPU__CELL 8u
#define PERCPU__CELL_GRAINS (PERCPU__CELL / PERCPU__GRAIN)

enum {
	PERCPU__CELL_START = 0x80,
	PERCPU__CELL_PAIR = 0x40,
	PERCPU__CELL_LONG = 0x20, /* not of a pair */
	PERCPU__CELL_LIVE = 0x10, /* not of a pair */
	PERCPU__CELL_SIZE = 0x0f,
	PERCPU__CELL_LOW = 0x01,  /* of a pair */
	PERCPU__CELL_HIGH = 0x02, /* of a pair */
	PERCPU__CELL_LIVES = PERCPU__CELL_LOW | PERCPU__CELL_HIGH
};

static inline uint8_t percpu__cell_load(const uint8_t *cell)
{
	return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

static inline bool percpu__cell_is_pair(uint8_t byte)
{
	return (byte & PERCPU__CELL_PAIR) != 0;
}

/* The grains of an object that starts at @cell and is none of a pair. */
static inline uint32_t percpu__cell_grains(const uint8_t *cell, uint8_t byte)
{
	uint32_t cells = byte & PERCPU__CELL_SIZE;

	if ((byte & PERCPU__CELL_LONG) != 0)
		cells = cells != 0 ? 1 :
				     cell[1] | (uint32_t)cell[2] << 7 |
					     (uint32_t)cell[3] << 14;
	return cells * PERCPU__CELL_GRAINS;
}

/* The byte of its own that the object at @cell has for its kind, or NULL. */
static inline uint8_t *percpu__cell_kind_byte(uint8_t *cell, uint8_t byte)
{
	uint8_t size = byte & PERCPU__CELL_SIZE;

	if (percpu__cell_is_pair(byte))
		return NULL;
	if ((byte & PERCPU__CELL_LONG) != 0)
		return size == 0 ? cell + 4 : NULL;
	return size > 1 ? cell + 1 : NULL;
}

/* The kind of the object at @cell; 0 if it has none. */
static inline uint8_t percpu__cell_kind(uint8_t *cell)
{
	uint8_t byte = percpu__cell_load(cell);
	const uint8_t *own = percpu__cell_kind_byte(cell, byte);

	if (own != NULL)
		return percpu__cell_load(own);
	return !percpu__cell_is_pair(byte) && (byte & PERCPU__CELL_LONG) != 0 ?
		       byte & PERCPU__CELL_SIZE :
		       0;
}

/* What the cell of an object of one cell is, which the program has. */
static inline uint8_t percpu__cell_of_kind(uint8_t kind)
{
	uint8_t live = PERCPU__CELL_START | PERCPU__CELL_LIVE;

	return kind == 0 ? live | 1 : live | PERCPU__CELL_LONG | kind;
}

/*
 * The kind of the object at @cell, which the program has, from @was to @kind.
 * False if it was another, or there is no room for one.
 */
static inline bool percpu__cell_change_kind(uint8_t *cell, uint8_t was,
					    uint8_t kind)
{
	uint8_t *own = percpu__cell_kind_byte(cell, percpu__cell_load(cell));

	if (own == NULL) {
		own = cell;
		was = percpu__cell_of_kind(was);
		kind = percpu__cell_of_kind(kind);
	}
	return __atomic_compare_exchange_n(own, &was, kind, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Make an object of @grains, an even number, start at @cell. */
static inline void percpu__cell_make(uint8_t *cell, uint32_t grains)
{
	uint32_t cells = grains / PERCPU__CELL_GRAINS;
	uint8_t byte = PERCPU__CELL_START;
	uint8_t *kind;

	if (cells <= PERCPU__CELL_SIZE) {
		byte |= (uint8_t)cells;
	} else {
		byte |= PERCPU__CELL_LONG;
		cell[1] = cells & 0x7f;
		cell[2] = cells >> 7 & 0x7f;
		cell[3] = cells >> 14 & 0x7f;
	}
	kind = percpu__cell_kind_byte(cell, byte);
	if (kind != NULL)
		__atomic_store_n(kind, 0, __ATOMIC_RELAXED);
	__atomic_store_n(cell, byte, __ATOMIC_RELEASE);
}

/* Make two objects of 4 bytes start at @cell. */
static inline void percpu__cell_make_pair(uint8_t *cell)
{
	__atomic_store_n(cell, PERCPU__CELL_START | PERCPU__CELL_PAIR,
			 __ATOMIC_RELEASE);
}

static inline void percpu__cell_unmake(uint8_t *cell)
{
	__atomic_store_n(cell, 0, __ATOMIC_RELAXED);
}

#endif

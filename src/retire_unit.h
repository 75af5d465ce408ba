/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_RETIRE_UNIT_H
#define PERCPU_SRC_RETIRE_UNIT_H
/*
 * retire_unit.h: what retire*.c have among them: sets of pages of a unit, and
 * the units at hand. All is under the lock of retire.c.
 */
#include "bits.h"
#include "chunk.h"
#include "retire.h"

#define PERCPU__RETIRE_WORDS (PERCPU__PAGES_MAX / PERCPU__WORD_BITS)
#define PERCPU__RETIRE_HELD 0x08u /* in an object's kind, beside its number */

/* A unit of a CPU that is gone, in the chunk at hand. */
struct percpu__retire_unit {
	uint32_t slot;
	bool again;			      /* not all went that could */
	bool grew;			      /* it has got pages */
	uint64_t exist[PERCPU__RETIRE_WORDS]; /* pages */
	uint64_t drop[PERCPU__RETIRE_WORDS];  /* those that are to go */
	uint64_t wait[PERCPU__RETIRE_WORDS];  /* until others have gone */
};

/* The units at hand, in @c, and the pages on which all objects are held. */
struct percpu__retire_units {
	struct percpu__chunk *c;
	struct percpu__retire_unit *unit;
	uint32_t count;
	uint64_t agree[PERCPU__RETIRE_WORDS];
};

/* An object, or what is free between two, in grains. */
struct percpu__retire_stretch {
	uint32_t first;
	uint32_t end;
};

static inline uint32_t percpu__retire_page(uint32_t grain)
{
	return grain >> percpu__chunk_geometry.page_log;
}

static inline uint8_t *percpu__retire_cell(const struct percpu__chunk *c,
					   uint32_t grain)
{
	return c->cells + grain / PERCPU__CELL_GRAINS;
}

/*
 * Hold what lies on pages of u->agree, as far as all on a page agree, and take
 * what is free there; the others leave u->agree. Under the allocator's lock.
 */
void percpu__retire_hold(struct percpu__retire_units *u);

/* Let go of that. Under the allocator's lock. */
void percpu__retire_hold_end(struct percpu__retire_units *u);

/* The next object that is held, at or after @grain; false if there is none. */
bool percpu__retire_hold_next(const struct percpu__retire_units *u,
			      uint32_t grain,
			      struct percpu__retire_stretch *out);

/* The kind with that number. */
const struct percpu__retire_kind *percpu__retire_number(uint8_t number);

/* Restart those who have seen words as they were; false if that cannot be. */
bool percpu__retire_drop_fence(void);

/* Drop what can be dropped of the pages in u->agree. */
void percpu__retire_drop(struct percpu__retire_units *u);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_CHUNK_H
#define PERCPU_SRC_CHUNK_H
/*
 * chunk.h: one mapping with a unit per slot, and the book of what is given out
 * of it. Not locked: the caller sees to it that one thread at a time works on
 * a chunk's book.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Objects start at multiples of so many bytes and fill whole multiples. */
#define PERCPU__GRAIN 4u

struct percpu__chunk {
	struct percpu__chunk *next;
	char *base;	  /* of the mapping; handles are base + offset */
	uint32_t grains;  /* of a unit */
	uint32_t free;	  /* grains not given out */
	uint32_t low;	  /* no grain below it is free */
	uint32_t fresh;	  /* grains from here on were never given out */
	uint64_t *used;	  /* a bit per grain: given out */
	uint64_t *starts; /* a bit per grain: an object starts here */
};

/* A run of grains. */
struct percpu__run {
	uint32_t first;
	uint32_t count;
	uint32_t
		recycled; /* so many of them, from the first, were out before */
};

/* A new chunk, all free; NULL with nothing changed if memory is short. */
struct percpu__chunk *percpu__chunk_create(void);

/* Unmap @c, of which nothing is given out. */
void percpu__chunk_destroy(struct percpu__chunk *c);

/*
 * Take @run->count grains at a multiple of @align grains, and fill in the rest
 * of @run. False if there is no such run. Cost: O(grains of a unit / 64).
 */
bool percpu__chunk_take(struct percpu__chunk *c, struct percpu__run *run,
			uint32_t align);

enum percpu__grain {
	PERCPU__GRAIN_FREE,
	PERCPU__GRAIN_START, /* an object starts here */
	PERCPU__GRAIN_INSIDE /* of an object that starts before */
};

enum percpu__grain percpu__chunk_state(const struct percpu__chunk *c,
				       uint32_t grain);

/* Give back the object that starts at @grain. */
void percpu__chunk_give(struct percpu__chunk *c, uint32_t grain);

/*
 * Make the recycled grains of @run zero in every slot. Reads them, and writes
 * only what is not zero, so that no page appears by it.
 */
void percpu__chunk_zero(const struct percpu__chunk *c, struct percpu__run run);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_CHUNK_H
#define PERCPU_SRC_CHUNK_H
/*
 * chunk.h: one mapping with a unit per slot, and room for the book of what is
 * given out of it. How the book is kept is book.h's.
 */
#include "cell.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes from 2^k grains on, k below this. */
#define PERCPU__LOGS 20u

/* No unit has more pages. */
#define PERCPU__PAGES_MAX 256u

/* Nor more cells. */
#define PERCPU__CELLS_MAX (1u << 17)

/* The most pages that are asked after at once. */
#define PERCPU__SEEN_PAGES 4096u

/* A page of a unit; every unit looks alike. */
struct percpu__page {
	uint16_t used;	/* grains taken */
	uint16_t fresh; /* grains from here on are zero in every slot */
	uint8_t idle;	/* free since trim.c last looked, though not fresh */
};

/* Which pages of all slots were resident once; wash.c's. */
struct percpu__seen {
	uint32_t lock;	/* held for a moment, or not taken at all */
	uint64_t gives; /* those of the chunk when that was asked */
	uint64_t taken; /* those when objects were last taken */
	uint64_t bits[PERCPU__SEEN_PAGES / 64];
};

struct percpu__chunk {
	struct percpu__chunk *next;  /* in the list of central.c */
	struct percpu__chunk **link; /* what points here */
	uint32_t list;		     /* its number */
	char *base;    /* of the mapping; handles are base + offset */
	uint32_t free; /* grains not taken */
	uint32_t room; /* no free run of grains is longer */
	uint32_t from[PERCPU__LOGS]; /* no free run of 2^k starts below */
	struct percpu__page *pages;
	uint64_t *used; /* a bit per grain: taken */
	uint8_t *cells;
	uint64_t gives; /* times that something was given back, and 1 */
	struct percpu__seen seen;
};

/* The same for every chunk of the process; set by percpu__chunk_start(). */
struct percpu__geometry {
	uint64_t mask;	 /* of the bits of an address within a chunk's guard */
	uint64_t cells;	 /* bytes from a chunk's base to its cells */
	uint64_t book;	 /* to its book */
	uint64_t len;	 /* of the mapping */
	uint32_t grains; /* of a unit */
	uint32_t pages;	 /* of a unit */
	uint32_t page_log; /* of the grains of a page */
	uint32_t page;	   /* bytes */
};

extern struct percpu__geometry percpu__chunk_geometry;

/* Fill in the geometry, from the latched policy. Again is harmless. */
void percpu__chunk_start(void);

/*
 * A new chunk, all free; NULL with nothing changed if memory is short.
 * @filled: all of it will be used soon, so its book had better be resident now,
 * for a quarter of what page after page costs.
 */
struct percpu__chunk *percpu__chunk_create(bool filled);

/* Unmap @c, of which nothing is given out. */
void percpu__chunk_destroy(struct percpu__chunk *c);

/* The base of the chunk that @h would be a handle of. */
static inline char *percpu__chunk_base(const void *h)
{
	return (char *)((uintptr_t)h & ~percpu__chunk_geometry.mask);
}

/* @h's distance from that base. */
static inline uint64_t percpu__chunk_offset(const void *h)
{
	return (uintptr_t)h & percpu__chunk_geometry.mask;
}

/* The chunk of a handle. */
static inline struct percpu__chunk *percpu__chunk_of(const void *h)
{
	return (struct percpu__chunk *)(void *)(percpu__chunk_base(h) +
						percpu__chunk_geometry.book);
}

/* The cell in which a handle lies. */
static inline uint8_t *percpu__chunk_cell(const void *h)
{
	return (uint8_t *)percpu__chunk_base(h) + percpu__chunk_geometry.cells +
	       percpu__chunk_offset(h) / PERCPU__CELL;
}

#endif

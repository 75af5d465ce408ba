/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_DEBUG_NOTES_H
#define PERCPU_SRC_DEBUG_NOTES_H
/*
 * debug_notes.h: what is known of each object while somebody looks for
 * mistakes: a note per 8 bytes of a unit, in memory beside the chunk's.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Objects start at multiples of so many bytes. */
#define PERCPU__DEBUG_CELL 8u

struct percpu__debug_note {
	size_t size;	   /* of the object that starts here; 0: none does */
	const void *given; /* who asked for it */
	const void *taken; /* who freed it; NULL while it is out */
};

/* False if memory is short. */
bool percpu__debug_notes_add(char *units, size_t len, bool roots);
void percpu__debug_notes_remove(const char *units);

/* The note on handle @h; NULL if it is in no chunk. */
struct percpu__debug_note *percpu__debug_notes_of(const void *h);

/*
 * Where a pointer to @slot, an object of @h, may stand for a search for leaks
 * to find; NULL if the chunk was added without roots.
 */
const void **percpu__debug_notes_root(const void *h, const void *slot);

/* An object, found by an address in or behind one of its slots. */
struct percpu__debug_found {
	const struct percpu__debug_note *note;
	const void *h;
	uint32_t slot;
	size_t offset; /* of the address in that slot */
};

/* Takes no lock, since who asks may hold any. False if nothing is there. */
bool percpu__debug_notes_find(const void *p, struct percpu__debug_found *found);

void percpu__debug_notes_forked(void);

#endif

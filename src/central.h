/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_CENTRAL_H
#define PERCPU_SRC_CENTRAL_H
/*
 * central.h: all chunks, under one lock. Whoever comes with many objects at
 * once pays for the lock once.
 */
#include "book.h"

/* Bytes of a unit, over all chunks. */
struct percpu__central_use {
	size_t taken; /* by objects, those in caches included */
	size_t peak;  /* the most that ever was */
};

/*
 * Take up to @want objects as percpu__book_take() does, of one chunk; 0 if no
 * chunk has room.
 */
unsigned percpu__central_take(uint32_t grains, uint32_t align, unsigned want,
			      uint64_t *out);

/*
 * How often all was made anew in a child of fork. Objects that the program does
 * not have are free then; whoever held some in between must forget them.
 */
extern uint32_t percpu__central_restored;

static inline uint32_t percpu__central_seen(void)
{
	return __atomic_load_n(&percpu__central_restored, __ATOMIC_ACQUIRE);
}

/*
 * Give back @n objects in any order, which the caller has held since it saw
 * @seen; false if all was made anew since.
 */
bool percpu__central_give(const uint64_t *items, unsigned n, uint32_t seen);

/* Have one more chunk; 0, or -ENOMEM with nothing changed. */
int percpu__central_grow(void);

/*
 * Unmap empty chunks but for @keep of them; to *@bytes, if it is there, add
 * those that were resident.
 */
void percpu__central_shrink(unsigned keep, size_t *bytes);

/*
 * The lock over chunks, for readers of all of them. In a child of fork
 * everything is in order when this returns.
 */
void percpu__central_enter(void);
void percpu__central_leave(void);

/* Under that lock: */
void percpu__central_take_pages(struct percpu__chunk *c, uint32_t page,
				uint32_t n);
void percpu__central_give_pages(struct percpu__chunk *c, uint32_t page,
				uint32_t n);
void percpu__central_take_free(struct percpu__chunk *c, uint32_t first,
			       uint32_t end);
void percpu__central_give_free(struct percpu__chunk *c, uint32_t first,
			       uint32_t end);
struct percpu__central_use percpu__central_use(void);
unsigned percpu__central_chunks(void);

#endif

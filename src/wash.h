/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_WASH_H
#define PERCPU_SRC_WASH_H
/*
 * wash.h: make objects zero in every slot before they are given out again.
 */
#include "book.h"

#include <percpu/base.h>

/* Slots that are read without asking the system about them. */
#define PERCPU__FEW_SLOTS 8u

/*
 * Whether objects are best made zero many at a time: where there are many
 * slots, it pays to ask the system once which of their pages are resident.
 */
static inline bool percpu__wash_many_slots(void)
{
	return percpu__rt.nr_slots + 1 > PERCPU__FEW_SLOTS;
}

/*
 * Make the object of @bytes at @h zero in every slot. Reads it, and writes only
 * what is not zero, at the object's width, so that no page appears by it. The
 * first reads every slot, the second asks the system where that pays.
 */
void percpu__wash_small(void *h, size_t bytes);
void percpu__wash_large(void *h, size_t bytes);

/*
 * The same for the dirty ones of @n objects, which are not dirty then; with few
 * slots, some may be left as they are. @given: each was given back to its chunk
 * before it was taken from there; what was found out since the last time that
 * anything was given back to it is still good then.
 */
void percpu__wash_all(uint64_t *items, unsigned n, size_t bytes, bool given);

#endif

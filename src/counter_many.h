/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_COUNTER_MANY_H
#define PERCPU_SRC_COUNTER_MANY_H
/*
 * counter_many.h: what "inner" of a counter or tree says, of those whose parts
 * are one object: that it is the first, of how many, or another.
 */
#include "misuse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERCPU__MANY_FIRST 0x8000u
#define PERCPU__MANY_COUNT 0x7fffu /* as many, or more */
#define PERCPU__MANY_OTHER 1u

/* For number @i of @n. */
static inline uint16_t percpu__many_inner(size_t i, size_t n)
{
	if (n <= 1)
		return 0;
	if (i != 0)
		return PERCPU__MANY_OTHER;
	return (uint16_t)(PERCPU__MANY_FIRST |
			  (n < PERCPU__MANY_COUNT ? n : PERCPU__MANY_COUNT));
}

/* Whether it is the one to free the object by. */
static inline bool percpu__many_leads(uint16_t inner)
{
	return inner == 0 || (inner & PERCPU__MANY_FIRST) != 0;
}

/* Whether @n, of which the first says @inner, are what was made as one. */
static inline bool percpu__many_one(uint16_t inner, size_t n)
{
	size_t count = inner & PERCPU__MANY_COUNT;

	return (inner & PERCPU__MANY_FIRST) != 0 &&
	       (count == n || (count == PERCPU__MANY_COUNT && n > count));
}

/*
 * Whether @n are all alone, or all there are of one object. @inner is that of
 * the first, others are @stride bytes apart.
 */
static inline bool percpu__many_whole(const uint16_t *inner, size_t stride,
				      size_t n)
{
	const char *at = (const char *)inner;
	size_t alone = 0;

	while (alone < n && *(const uint16_t *)(at + alone * stride) == 0)
		alone++;
	return alone == n || (alone == 0 && percpu__many_one(*inner, n));
}

static inline void percpu__many_misuse(const char *function, const void *c,
				       size_t n)
{
	percpu__misuse(
		"; nothing destroyed",
		"%s(%p, %zu): these are not what one init_many made, nor were all made alone",
		function, c, n);
}

#endif

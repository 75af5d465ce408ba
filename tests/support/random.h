/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H
/*
 * random.h: numbers that a seed repeats (splitmix64).
 */
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline uint64_t draw(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	return mix(*state);
}

/* Of 0 to @n - 1. */
static inline unsigned pick(uint64_t *state, unsigned n)
{
	return (unsigned)((draw(state) >> 32) * n >> 32);
}

static inline bool one_in(uint64_t *state, unsigned n)
{
	return pick(state, n) == 0;
}

#endif

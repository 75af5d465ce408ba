/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OPS_H
#define BENCH_OPS_H
/*
 * ops.h: what the files of the experiment ops have in common: the words that
 * operations work on, and loops of eight operations.
 */
#include "compare.h"

#include <percpu/percpu.h>

/* A word with a line to itself, and what one thread or slot has of them. */
struct word {
	uint64_t n;
} PERCPU_LINE_ALIGNED;

struct row {
	struct word of[8];
} PERCPU_LINE_ALIGNED;

/* Where a variant works: thread t at base + t * apart. */
struct place {
	char *base;
	size_t apart;
};

/* The @k-th word at @at, as the type that an operation works on. */
#define WORD(type, at, k)                                                      \
	((type PERCPU *)(uintptr_t)((at) + (k) * sizeof(struct word)))

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void use(uint64_t value)
{
	__asm__ volatile("" : : "r"(value));
}

/* A loop of eight operations, on the words whose numbers are given. */
#define LOOP(name, op, a, b, c, d, e, f, g, h)                                 \
	__attribute__((noinline, aligned(64))) static void name(               \
		void *arg, unsigned thread, uint64_t ops)                      \
	{                                                                      \
		const struct place *p = arg;                                   \
		char *at = p->base + thread * p->apart;                        \
                                                                               \
		for (; ops != 0; ops -= HARNESS_GRAIN) {                       \
			op(at, a);                                             \
			op(at, b);                                             \
			op(at, c);                                             \
			op(at, d);                                             \
			op(at, e);                                             \
			op(at, f);                                             \
			op(at, g);                                             \
			op(at, h);                                             \
		}                                                              \
	}

#define COUNT(array) (unsigned)(sizeof(array) / sizeof((array)[0]))

/* Operations with a result, beside thread-local ones: ops_value.c. */
void ops_value_run(const struct bench *b);

/* Several adds at once: ops_multi.c. */
void ops_multi_run(const struct bench *b);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H
/*
 * compare.h: one comparison: variants, what their ratios are asked for, and
 * what came out.
 */
#include "bench.h"

enum goal { GOAL_NONE, GOAL_AT_MOST, GOAL_AT_LEAST };

/* The time of variant @num in terms of variant @den. */
struct ratio {
	const char *key; /* in JSON */
	const char *num, *den;
	enum goal goal;
	double bound;
};

struct comparison {
	const char *key; /* in JSON */
	const char *title;
	const char *unit; /* what one operation is */
	unsigned threads;
	const struct variant *variants;
	unsigned nr_variants;
	const struct ratio *ratios;
	unsigned nr_ratios;
	double slice_ns;
	/* NULL, or what looks after it and says what went wrong, or NULL */
	const char *(*wrong)(void);
	bool alone; /* one thread in a process that never had another */
};

/* Make @c and hand its result to the reporting process. */
void compare(const struct bench *b, const struct comparison *c);

/* All @n of @c; if not @made, there is no memory for what they compare. */
void compare_all(const struct bench *b, const struct comparison *c, unsigned n,
		 bool made);

/* The same as compare(), measured by @run in place of harness_run(). */
void compare_by(const struct bench *b, const struct comparison *c,
		int (*run)(const struct plan *, struct samples *));

/* Say of @c that it cannot be made here, and why. */
void compare_skip(const struct bench *b, const struct comparison *c,
		  const char *why);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H
/*
 * stats.h: medians, spreads, ratios, and what they are worth.
 *
 * A NAN stands for a slice that was not quiet; it is left out.
 */
#include <stdbool.h>
#include <stddef.h>

struct spread {
	double median, p10, p90; /* NAN if there is nothing to tell from */
	size_t n;		 /* values that counted */
};

/* The spread of @n values. */
struct spread stats_spread(const double *values, size_t n);

/*
 * The spread of @num[i] / @den[i], round by round: both were measured within
 * a millisecond, so what changes slowly (clock speed, heat, neighbours) cancels
 * out, which it does not in the ratio of two medians.
 */
struct spread stats_ratio(const double *num, const double *den, size_t n);

/* How far @ratio is from 1, either way: 0.5 and 2 are both 1 away. */
double stats_off(double ratio);

/*
 * Whether a ratio's median differs from 1 by more than @control, by which the
 * same thing measured twice does, by more than 1 %, and by more than chance:
 * twice the standard error of the median, as the spread tells it.
 */
bool stats_differs(const struct spread *ratio, double control);

/* Fewer rounds than this are no measurement. */
#define STATS_MIN_ROUNDS 25
/* A control further off than this leaves nothing to believe. */
#define STATS_MAX_CONTROL 0.05
/* A cache line's round trip that changed by more is another machine. */
#define STATS_MAX_FLIP 0.5

/* What a comparison is judged by. */
struct evidence {
	size_t rounds;	/* quiet slices of the variant that has fewest */
	double control; /* how far the worst A/A control is from 1 */
	double before;	/* the line's round trip in ns; NAN if not known */
	double after;
	unsigned threads;
};

enum verdict {
	VERDICT_MEASURED,
	VERDICT_TOO_FEW, /* quiet slices */
	VERDICT_CONTROL, /* one variant measured twice differs from itself */
	VERDICT_FLIPPED	 /* the CPUs' distance changed between them */
};

enum verdict stats_judge(const struct evidence *e);

#endif

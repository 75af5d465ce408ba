/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The @q-quantile of @n sorted values, between neighbours by their distance. */
static double quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;

	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

static struct spread sorted_spread(const double *sorted, size_t n)
{
	struct spread s = { NAN, NAN, NAN, n };

	if (n == 0)
		return s;
	s.median = quantile(sorted, n, 0.5);
	s.p10 = quantile(sorted, n, 0.1);
	s.p90 = quantile(sorted, n, 0.9);
	return s;
}

struct spread stats_spread(const double *values, size_t n)
{
	struct spread none = { NAN, NAN, NAN, 0 };
	double *kept = malloc((n + 1) * sizeof(*kept));
	struct spread s;
	size_t k = 0;

	if (kept == NULL)
		return none;
	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			kept[k++] = values[i];
	qsort(kept, k, sizeof(*kept), ascending);
	s = sorted_spread(kept, k);
	free(kept);
	return s;
}

struct spread stats_ratio(const double *num, const double *den, size_t n)
{
	struct spread none = { NAN, NAN, NAN, 0 };
	double *ratios = malloc((n + 1) * sizeof(*ratios));
	struct spread s;

	if (ratios == NULL)
		return none;
	for (size_t i = 0; i < n; i++)
		ratios[i] = num[i] / den[i];
	s = stats_spread(ratios, n);
	free(ratios);
	return s;
}

double stats_off(double ratio)
{
	return ratio < 1 ? 1 / ratio - 1 : ratio - 1;
}

/*
 * From p10 to p90 are 2.56 standard deviations, and a median of n values errs
 * by 1.25 of them over the root of n, were they normal.
 */
static double standard_error(const struct spread *s)
{
	return (s->p90 - s->p10) / 2.56 * 1.25 / sqrt((double)s->n);
}

bool stats_differs(const struct spread *ratio, double control)
{
	double least = fmax(0.01, fmax(control, 2 * standard_error(ratio)));

	return stats_off(ratio->median) > least;
}

static bool flipped(const struct evidence *e)
{
	return e->threads > 1 &&
	       stats_off(e->after / e->before) > STATS_MAX_FLIP;
}

enum verdict stats_judge(const struct evidence *e)
{
	if (e->rounds < STATS_MIN_ROUNDS)
		return VERDICT_TOO_FEW;
	if (flipped(e))
		return VERDICT_FLIPPED;
	if (!(e->control <= STATS_MAX_CONTROL))
		return VERDICT_CONTROL;
	return VERDICT_MEASURED;
}

/* SPDX-License-Identifier: MIT */
#include "slice.h"

static uint64_t length(const struct slice *s)
{
	return s->end - s->start;
}

static bool undisturbed(const struct slice *s)
{
	return s->switches == 0 && s->end > s->start &&
	       (double)s->cpu >= 0.95 * (double)length(s);
}

static bool overlapping(const struct slice *of, unsigned threads)
{
	uint64_t latest = of[0].start, earliest = of[0].end;
	uint64_t longest = length(&of[0]);

	for (unsigned t = 1; t < threads; t++) {
		if (of[t].start > latest)
			latest = of[t].start;
		if (of[t].end < earliest)
			earliest = of[t].end;
		if (length(&of[t]) > longest)
			longest = length(&of[t]);
	}
	return earliest > latest &&
	       (double)(earliest - latest) >= 0.8 * (double)longest;
}

bool slice_quiet(const struct slice *of, unsigned threads)
{
	for (unsigned t = 0; t < threads; t++)
		if (!undisturbed(&of[t]))
			return false;
	return overlapping(of, threads);
}

double slice_ns(const struct slice *of, unsigned threads)
{
	double sum = 0;

	for (unsigned t = 0; t < threads; t++)
		sum += (double)length(&of[t]);
	return sum / threads;
}

/* SPDX-License-Identifier: MIT */
#ifndef BENCH_WORDS_H
#define BENCH_WORDS_H
/*
 * words.h: results as sentences, the same in both reports. Each function
 * returns a string to be freed, NULL if memory is short.
 */
#include "compare.h"
#include "stats.h"

/* "B takes 2.1 times as long as A (2.0 to 2.2)", or that they do not differ. */
char *words_ratio(const char *num, const char *den, const struct spread *s,
		  double control);

/* What @v means for the comparison that @e is about; @poorest: fewest slices. */
char *words_verdict(enum verdict v, const struct evidence *e,
		    const char *poorest);

#endif

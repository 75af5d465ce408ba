/* SPDX-License-Identifier: MIT */
#ifndef BENCH_WORDS_H
#define BENCH_WORDS_H
/*
 * words.h: results as sentences, the same in both reports. Each function
 * returns a string to be freed, NULL if memory is short.
 */
#include "compare.h"
#include "stats.h"

/* "A takes 2.10 times as long as B (2.00 to 2.20)", or that nothing is seen. */
char *words_ratio(const char *num, const char *den, const struct spread *s,
		  double control);

/* What @v means for the comparison @e is about; @poorest: fewest slices. */
char *words_verdict(enum verdict v, const struct evidence *e,
		    const char *poorest);

#endif

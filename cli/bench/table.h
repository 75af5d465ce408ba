/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H
/*
 * table.h: results that are numbers side by side and no comparison.
 */
#include "bench.h"

#define TABLE_COLUMNS 8

/* NAN where there is no number, or no goal. */
struct table {
	const char *key; /* in JSON */
	const char *title;
	const char *unit;
	const char *says; /* how it was made, in one or more whole lines */
	const char *columns[TABLE_COLUMNS]; /* NULL ends them */
	double goals[TABLE_COLUMNS];	    /* not more than this */
	json_t *rows;
};

void table_begin(struct table *t);
void table_row(struct table *t, const char *name, const double *values);
/* Hand @t to the reporting process. */
void table_end(struct table *t, const struct bench *b);

#endif

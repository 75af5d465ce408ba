/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <math.h>

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static unsigned columns(const struct table *t)
{
	unsigned n = 0;

	while (n < TABLE_COLUMNS && t->columns[n] != NULL)
		n++;
	return n;
}

static json_t *numbers(const double *values, unsigned n)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(all, number(values[i]));
	return all;
}

void table_begin(struct table *t)
{
	t->rows = json_array();
}

void table_row(struct table *t, const char *name, const double *values)
{
	json_array_append_new(t->rows,
			      json_pack("{s:s, s:o}", "name", name, "values",
					numbers(values, columns(t))));
}

void table_end(struct table *t, const struct bench *b)
{
	json_t *names = json_array();

	for (unsigned i = 0; i < columns(t); i++)
		json_array_append_new(names, json_string(t->columns[i]));
	bench_emit(b, "table",
		   json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s}", "key",
			     t->key, "title", t->title, "unit", t->unit,
			     "columns", names, "goals",
			     numbers(t->goals, columns(t)), "rows", t->rows,
			     "says", t->says));
	t->rows = NULL;
}

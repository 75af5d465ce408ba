/* SPDX-License-Identifier: MIT */
/*
 * report_table.c: tables for people, drawn from the document.
 */
#include "report.h"

#include <stdbool.h>
#include <stdio.h>

#define NAME_WIDTH 22
#define WIDTH 11

static const char *text(const json_t *of, const char *key)
{
	const char *s = json_string_value(json_object_get(of, key));

	return s != NULL ? s : "";
}

static void show_number(const json_t *n)
{
	if (!json_is_number(n))
		printf(" %*s", WIDTH, "-");
	else if (json_number_value(n) < 10)
		printf(" %*.3f", WIDTH, json_number_value(n));
	else
		printf(" %*.1f", WIDTH, json_number_value(n));
}

static void show_numbers(const char *name, const json_t *values)
{
	json_t *v;
	size_t i;

	printf("    %-*s", NAME_WIDTH, name);
	json_array_foreach(values, i, v) show_number(v);
	putchar('\n');
}

static bool any_number(const json_t *values)
{
	json_t *v;
	size_t i;

	json_array_foreach(values, i, v) if (json_is_number(v)) return true;
	return false;
}

void report_show_table(const json_t *t)
{
	json_t *v;
	size_t i;

	printf("\n  %s\n    %-*s", text(t, "title"), NAME_WIDTH,
	       text(t, "unit"));
	json_array_foreach(json_object_get(t, "columns"), i, v)
		printf(" %*s", WIDTH, json_string_value(v));
	putchar('\n');
	json_array_foreach(json_object_get(t, "rows"), i, v)
		show_numbers(text(v, "name"), json_object_get(v, "values"));
	if (any_number(json_object_get(t, "goals")))
		show_numbers("goal: at most", json_object_get(t, "goals"));
	fputs(text(t, "says"), stdout);
	fflush(stdout);
}

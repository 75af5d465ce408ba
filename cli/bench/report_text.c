/* SPDX-License-Identifier: MIT */
/*
 * report_text.c: the report for people: a bar per variant, then sentences.
 *
 * Everything shown is in the JSON document too, since it is drawn from it.
 */
#include "report.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Cells of the longest bar, and how many times the least time it stands for. */
#define BAR_CELLS 32
#define BAR_TIMES 24
#define NAME_WIDTH 32

static const char *text(const json_t *of, const char *key)
{
	const char *s = json_string_value(json_object_get(of, key));

	return s != NULL ? s : "";
}

/* NAN where the document has null. */
static double number(const json_t *of, const char *key)
{
	const json_t *n = json_object_get(of, key);

	return json_is_number(n) ? json_number_value(n) : NAN;
}

static double median(const json_t *variant)
{
	return number(json_object_get(variant, "ns"), "median");
}

/* The marks of a bar: a full cell, and the end of one that is cut off. */
struct marks {
	const char *cell, *cut;
};

static struct marks marks(void)
{
	static const struct marks plain = { "#", ">" }, blocks = { "█", "»" };

	setlocale(LC_CTYPE, "");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? blocks : plain;
}

static void bar(double ns, double full)
{
	struct marks m = marks();
	double cells = ns / full * BAR_CELLS;

	for (int i = 0; i < BAR_CELLS && i < fmax(1, round(cells)); i++)
		fputs(m.cell, stdout);
	if (cells > BAR_CELLS + 0.5)
		fputs(m.cut, stdout);
}

/* The time that a bar of full length stands for. */
static double full_bar(const json_t *variants)
{
	double least = INFINITY, most = 0;
	json_t *v;
	size_t i;

	json_array_foreach(variants, i, v)
	{
		least = fmin(least, median(v));
		most = fmax(most, median(v));
	}
	return fmin(most, least * BAR_TIMES);
}

static bool with_bytes(const json_t *variants)
{
	json_t *v;
	size_t i;

	json_array_foreach(variants, i, v) if (json_object_get(v, "bytes") !=
					       NULL) return true;
	return false;
}

static void show_heading(const json_t *c, bool bytes)
{
	printf("    %-*s", NAME_WIDTH, "");
	if (bytes)
		printf("  %6s %8s", "bytes", "per CPU");
	printf("  ns per %s\n", text(c, "unit"));
}

static void show_bytes(const json_t *bytes)
{
	if (bytes != NULL)
		printf("  %6.0f %8.0f", number(bytes, "object"),
		       number(bytes, "per_cpu"));
	else
		printf("  %6s %8s", "", "");
}

static void show_variant(const json_t *v, bool bytes, double full)
{
	printf("    %-*s", NAME_WIDTH, text(v, "what"));
	if (bytes)
		show_bytes(json_object_get(v, "bytes"));
	if (isnan(median(v))) {
		puts("   no quiet slice");
		return;
	}
	printf(" %8.2f  ", median(v));
	bar(median(v), full);
	putchar('\n');
}

static void show_variants(const json_t *c)
{
	const json_t *variants = json_object_get(c, "variants");
	double full = full_bar(variants);
	bool bytes = with_bytes(variants);
	json_t *v;
	size_t i;

	show_heading(c, bytes);
	json_array_foreach(variants, i, v) show_variant(v, bytes, full);
}

static void show_ping_pong(const json_t *c)
{
	const json_t *ns = json_object_get(c, "ping_pong_ns");
	double before = number(ns, "before"), after = number(ns, "after");

	if (!isnan(before) && !isnan(after))
		printf("    a line between the CPUs, there and back: %.0f ns "
		       "before, %.0f ns after\n",
		       before, after);
}

static bool at_most(const json_t *goal)
{
	return json_object_get(goal, "at_most") != NULL;
}

static double bound(const json_t *goal)
{
	return number(goal, at_most(goal) ? "at_most" : "at_least");
}

static const char *met(const json_t *ratio)
{
	const json_t *met = json_object_get(ratio, "met");

	if (json_is_null(met))
		return "no verdict";
	return json_is_true(met) ? "met" : "not met";
}

static void show_ratios(const json_t *c)
{
	json_t *ratio;
	size_t i;

	json_array_foreach(json_object_get(c, "ratios"), i,
			   ratio) if (*text(ratio, "says") != '\0')
		printf("    %s\n", text(ratio, "says"));
}

void report_show_machine(const json_t *m)
{
	const json_t *cpus = json_object_get(m, "measured_cpus");

	printf("%s, Linux %s\n", text(m, "cpu"), text(m, "kernel"));
	printf("measured on CPU %lld",
	       json_integer_value(json_array_get(cpus, 0)));
	if (json_array_size(cpus) > 1)
		printf(" and %lld%s",
		       json_integer_value(json_array_get(cpus, 1)),
		       json_is_true(json_object_get(m, "one_core")) ?
			       ", which are threads of one core" :
			       "");
	printf("; slot policy %s: %s\n", text(m, "backend"), text(m, "why"));
	if (!json_is_true(json_object_get(m, "optimized")))
		puts("this percpu was built without optimisation: its numbers "
		     "mean nothing");
}

void report_show_experiment(const char *name, const char *what,
			    const char *story)
{
	printf("\n%s: %s\n\n%s", name, what, story);
}

void report_show_comparison(const json_t *c)
{
	const char *policy = text(c, "policy");
	bool plain = strcmp(policy, "default") == 0;

	printf("\n  %s%s%s\n", text(c, "title"), plain ? "" : ", policy ",
	       plain ? "" : policy);
	if (*text(c, "skipped") != '\0') {
		printf("    skipped: %s\n", text(c, "skipped"));
	} else if (*text(c, "failed") != '\0') {
		printf("    FAILED: %s\n", text(c, "failed"));
	} else {
		show_variants(c);
		show_ping_pong(c);
		printf("    %s\n", text(c, "says"));
		show_ratios(c);
	}
	fflush(stdout);
}

void report_show_skipped(const json_t *s)
{
	printf("\n  policy %s\n    skipped: %s\n", text(s, "policy"),
	       text(s, "why"));
	fflush(stdout);
}

static void show_goal(const char *key, const char *where, const json_t *ratio)
{
	const json_t *goal = json_object_get(ratio, "goal");

	printf("    %-34s %-20s", key, where);
	if (isnan(number(ratio, "ratio")))
		printf("    -");
	else
		printf("%5.2f", number(ratio, "ratio"));
	printf("  %s %.2f: %s\n", at_most(goal) ? "at most " : "at least",
	       bound(goal), met(ratio));
}

void report_show_goals(const json_t *experiment)
{
	json_t *ratios = json_object_get(experiment, "ratios");
	const char *key, *where,
		*heading = "\n  ratios beside goals, of other machines\n";
	json_t *places, *ratio;

	json_object_foreach(ratios, key, places)
		json_object_foreach(places, where, ratio)
	{
		if (!json_is_object(json_object_get(ratio, "goal")))
			continue;
		fputs(heading, stdout);
		heading = "";
		show_goal(key, where, ratio);
	}
}

void report_show_short(const json_t *experiment, const char *key,
		       const char *from)
{
	const json_t *ratio = json_object_get(
		json_object_get(json_object_get(experiment, "ratios"), key),
		from);

	if (ratio != NULL && *text(ratio, "says") != '\0')
		printf("\n  in short, of %s: %s\n", from, text(ratio, "says"));
}

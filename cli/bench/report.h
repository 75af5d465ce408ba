/* SPDX-License-Identifier: MIT */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H
/*
 * report.h: results for people, and the document for programs.
 *
 *   { "format": 1, "version", "quick",
 *     "machine": { "cpu", "kernel", "measured_cpus", "backend", "why", ... },
 *     "experiments": { "ops": {
 *       "what",
 *       "comparisons": [
 *         { "key", "title", "policy", "threads", "unit",
 *           "variants": [ { "name", "what", "ns": SPREAD, "slices", ... } ],
 *           "controls": [ { "of", "ratio": SPREAD } ], "control_off": 0.004,
 *           "ping_pong_ns": { "before", "after" },
 *           "ratios": [ RATIO ], "verdict", "says" }
 *         or { "key", "title", "policy", "threads", "skipped": why }
 *         or the same with "failed": why
 *       ],
 *       "ratios": { RATIO's key: { the comparison's key: RATIO } },
 *       "tables": [ TABLE ],
 *       "skipped": [ { "policy", "why" } ]
 *     } } }
 *
 *   SPREAD  { "median", "p10", "p90" }
 *   RATIO   { "key", "of", "to", "ratio", "p10", "p90",
 *             "goal": { "at_most": 2.3 } or { "at_least" } or null,
 *             "met": true, false, or null without a goal or a verdict,
 *             "says" }
 *
 *   TABLE   { "key", "title", "unit", "columns": [ name ],
 *             "goals": [ number or null ],
 *             "rows": [ { "name", "values": [ number or null ] } ], "says" }
 *
 * Where something could not be measured its number is null.
 */
#include <jansson.h>

/* The document of no experiment. */
json_t *report_new(const char *version, int quick);
/* Add an experiment, and return it. */
json_t *report_add_experiment(json_t *report, const char *name,
			      const char *what);
/* Add to an experiment what a part under @policy handed over. */
void report_add_comparison(json_t *experiment, json_t *comparison,
			   const char *policy);
void report_add_table(json_t *experiment, json_t *table);
void report_add_skipped(json_t *experiment, json_t *skipped);

/* Pictures and sentences, on standard output. */
void report_show_machine(const json_t *machine);
void report_show_experiment(const char *name, const char *what,
			    const char *story);
void report_show_comparison(const json_t *comparison);
void report_show_table(const json_t *table);
void report_show_skipped(const json_t *skipped);
void report_show_goals(const json_t *experiment);
/* What the ratio @key of the comparison @from says, as the last word. */
void report_show_short(const json_t *experiment, const char *key,
		       const char *from);

#endif

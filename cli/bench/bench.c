/* SPDX-License-Identifier: MIT */
/*
 * bench.c: percpu bench: which experiments there are, and how they are run.
 *
 *   bench.c      runs the parts of each experiment
 *   options.c    the command line
 *   process.c    a process for each part, since the policy is one per process
 *   ops.c h*.c   the experiments: variants, ratios and goals
 *   alloc*.c     and the allocator's, with tables of what has no ratio
 *   ref*.c       and those of reference counts,
 *   items.c rwlock.c   caches of items, and locks
 *   call*.c      and calls to other CPUs, which are
 *   duet.c       measured as one thread that asks another
 *   compare.c    one comparison: measured, judged
 *   harness.c    pinned threads, short slices, in turn
 *   stats.c      medians, spreads, verdicts
 *   report_*.c   the document and the pictures
 */
#include "bench.h"

#include "../cmd.h"
#include "machine.h"
#include "options.h"
#include "process.h"
#include "report.h"

#include <percpu/cpu.h>

#include <unistd.h>

/* In the order in which they run. */
const struct experiment *const experiments[] = {
	&experiment_h1,	     &experiment_h2,   &experiment_h3,
	&experiment_h4,	     &experiment_ops,  &experiment_alloc,
	&experiment_counter, &experiment_ref,  &experiment_cache,
	&experiment_rwlock,  &experiment_call, NULL,
};

_Static_assert(sizeof(experiments) / sizeof(*experiments) - 1 <=
		       MAX_EXPERIMENTS,
	       "a request has room to choose each experiment");

/* Quiet slices wanted and seconds at most for each comparison. */
#define ROUNDS 400
#define SECONDS 4.0
#define QUICK_ROUNDS 120
#define QUICK_SECONDS 0.3

/* What becomes of the values that a part hands over. */
struct report {
	const struct request *request;
	json_t *document, *experiment;
	const char *policy;
	bool failed;
};

static void set_defaults(struct bench *b)
{
	b->rounds = b->quick ? QUICK_ROUNDS : ROUNDS;
	if (b->seconds <= 0)
		b->seconds = b->quick ? QUICK_SECONDS : SECONDS;
	b->progress |= isatty(STDERR_FILENO) == 1;
	machine_choose_cpus(b);
}

static void take_machine(struct report *r, json_t *machine)
{
	json_object_set(r->document, "machine", machine);
	if (!r->request->json)
		report_show_machine(machine);
}

static void take_comparison(struct report *r, json_t *comparison)
{
	report_add_comparison(r->experiment, comparison, r->policy);
	r->failed |= json_object_get(comparison, "failed") != NULL;
	if (!r->request->json)
		report_show_comparison(comparison);
}

static void take_table(struct report *r, json_t *table)
{
	report_add_table(r->experiment, table);
	if (!r->request->json)
		report_show_table(table);
}

static void take_skipped(struct report *r, json_t *skipped)
{
	report_add_skipped(r->experiment, skipped);
	if (!r->request->json)
		report_show_skipped(skipped);
}

static void take(json_t *value, void *arg)
{
	struct report *r = arg;
	json_t *v;

	if ((v = json_object_get(value, "machine")) != NULL)
		take_machine(r, v);
	else if ((v = json_object_get(value, "comparison")) != NULL)
		take_comparison(r, v);
	else if ((v = json_object_get(value, "table")) != NULL)
		take_table(r, v);
	else if ((v = json_object_get(value, "skipped")) != NULL)
		take_skipped(r, v);
}

static void describe_machine(const struct bench *b)
{
	bench_emit(b, "machine", machine_describe(b));
}

static const struct part machine_part = { "default", PERCPU_POLICY_AUTO,
					  PERCPU_INDEX_CPU, describe_machine };

static void run_part(struct report *r, const struct part *part)
{
	r->policy = part->policy;
	if (process_run(part, &r->request->bench, take, r) < 0)
		r->failed = true;
}

static void run_experiment(struct report *r, const struct experiment *e)
{
	r->experiment = report_add_experiment(r->document, e->name, e->what);
	if (!r->request->json)
		report_show_experiment(e->name, e->what, e->story);
	for (unsigned i = 0; i < e->nr_parts; i++)
		run_part(r, &e->parts[i]);
	if (!r->request->json) {
		report_show_goals(r->experiment);
		report_show_short(r->experiment, e->short_ratio, e->short_from);
	}
}

static int run(const struct request *request)
{
	struct report r = { .request = request };

	r.document = report_new(PERCPU_VERSION, request->bench.quick);
	run_part(&r, &machine_part);
	/* What nobody can read any more is not measured. */
	for (size_t i = 0; experiments[i] != NULL && !ferror(stdout); i++)
		if (request->chosen[i])
			run_experiment(&r, experiments[i]);
	if (request->json) {
		json_dumpf(r.document, stdout,
			   JSON_INDENT(2) | JSON_REAL_PRECISION(6));
		putchar('\n');
	}
	json_decref(r.document);
	return r.failed ? CMD_FAILED : CMD_OK;
}

int cmd_bench(int argc, char **argv)
{
	struct request request = { .json = false };
	int status = options_read(&request, argc, argv);

	if (status >= 0)
		return status;
	set_defaults(&request.bench);
	return run(&request);
}

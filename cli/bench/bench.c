/* SPDX-License-Identifier: MIT */
/*
 * bench.c: percpu bench: what is asked for, and in which order it is done.
 *
 *   bench.c      the command line; runs the parts of each experiment
 *   process.c    a process for each part, since the policy is one per process
 *   ops.c h1.c   the experiments: variants, ratios and goals
 *   compare.c    one comparison: measured, judged
 *   harness.c    pinned threads, short slices, in turn
 *   stats.c      medians, spreads, verdicts
 *   report_*.c   the document and the pictures
 */
#include "bench.h"

#include "../cmd.h"
#include "machine.h"
#include "process.h"
#include "report.h"

#include <percpu/cpu.h>

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct experiment *const experiments[] = { &experiment_ops,
							&experiment_h1 };

#define EXPERIMENTS (sizeof(experiments) / sizeof(experiments[0]))

/* Quiet slices wanted and seconds at most for each comparison. */
#define ROUNDS 400
#define SECONDS 4.0
#define QUICK_ROUNDS 120
#define QUICK_SECONDS 0.3

struct request {
	struct bench bench;
	bool chosen[EXPERIMENTS];
	bool json;
};

/* What becomes of the values that a part hands over. */
struct report {
	const struct request *request;
	json_t *document, *experiment;
	const char *policy;
	bool failed;
};

static void list(void)
{
	for (size_t i = 0; i < EXPERIMENTS; i++)
		printf("  %-4s %s\n", experiments[i]->name,
		       experiments[i]->what);
}

static void help(void)
{
	fputs("usage: percpu bench [EXPERIMENT]... [OPTION]...\n"
	      "\n"
	      "Measure old layouts beside new ones on this machine.\n"
	      "\n"
	      "experiments (all, if none is named):\n",
	      stdout);
	list();
	printf("\n"
	       "options:\n"
	       "  --quick      fewer slices, less than 10 s in all\n"
	       "  --seconds S  S seconds at most for one comparison; %g, or %g "
	       "with --quick\n"
	       "  --json       a JSON document on standard output, nothing "
	       "else\n"
	       "  --progress   show progress on standard error, also if it is "
	       "no terminal\n"
	       "  --list       name the experiments and end\n"
	       "  --help       this text\n",
	       SECONDS, QUICK_SECONDS);
	fputs("\n"
	      "One or two pinned threads run the variants in turn, in slices "
	      "of 50 to 300\n"
	      "microseconds; a slice during which something else ran is left "
	      "out. Two CPUs are\n"
	      "used of those allowed; choose with taskset. With one CPU, what "
	      "takes two is\n"
	      "skipped, and said to be.\n"
	      "\n"
	      "How to read it: a bar is the median time of one operation; "
	      "\"(2.0 to 2.2)\" are\n"
	      "the 10 % and 90 % points of a ratio over all rounds. One "
	      "variant is measured\n"
	      "twice (the control); if it differs from itself by more than 5 "
	      "% there is no\n"
	      "verdict. So it is if the time in which a cache line goes from "
	      "CPU to CPU and\n"
	      "back changes by half meanwhile, as it does when a hypervisor "
	      "moves them.\n"
	      "\n"
	      "Exit status: 0 measured, or skipped and said why; 1 something "
	      "failed; 2 wrong\n"
	      "command line.\n",
	      stdout);
}

static int choose(struct request *r, const char *name)
{
	for (size_t i = 0; i < EXPERIMENTS; i++)
		if (strcasecmp(name, experiments[i]->name) == 0) {
			r->chosen[i] = true;
			return 0;
		}
	fprintf(stderr,
		"percpu bench: there is no experiment '%s'; there are:\n",
		name);
	for (size_t i = 0; i < EXPERIMENTS; i++)
		fprintf(stderr, "  %-4s %s\n", experiments[i]->name,
			experiments[i]->what);
	return -1;
}

static int choose_all(struct request *r, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (choose(r, names[i]) < 0)
			return -1;
	for (size_t i = 0; n == 0 && i < EXPERIMENTS; i++)
		r->chosen[i] = true;
	return 0;
}

static int set_seconds(struct request *r, const char *word)
{
	char *end;
	double s = strtod(word, &end);

	if (end == word || *end != '\0' || !(s > 0 && s <= 3600)) {
		fprintf(stderr,
			"percpu bench: --seconds takes a number above 0 and "
			"up to 3600, not '%s'\n",
			word);
		return -1;
	}
	r->bench.seconds = s;
	return 0;
}

/* What getopt_long() did not understand, which its own message does not name. */
static int refuse(int c, char **argv)
{
	if (c == ':')
		fprintf(stderr, "percpu bench: %s takes a value\n",
			argv[optind - 1]);
	else
		fprintf(stderr,
			"percpu bench: there is no option '%s'; there are "
			"--quick, --seconds S, --json, --progress, --list and "
			"--help\n",
			argv[optind - 1]);
	return CMD_USAGE;
}

/* Returns -1, or the exit status if that is all. */
static int read_options(struct request *r, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "list", no_argument, NULL, 'l' },
		{ "progress", no_argument, NULL, 'p' },
		{ "quick", no_argument, NULL, 'q' },
		{ "seconds", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1)
		switch (c) {
		case 'h': help(); return CMD_OK;
		case 'l': list(); return CMD_OK;
		case 'j': r->json = true; break;
		case 'p': r->bench.progress = true; break;
		case 'q': r->bench.quick = true; break;
		case 's':
			if (set_seconds(r, optarg) < 0)
				return CMD_USAGE;
			break;
		default: return refuse(c, argv);
		}
	return choose_all(r, argv + optind, argc - optind) < 0 ? CMD_USAGE : -1;
}

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
		report_show_experiment(e->name, e->what);
	for (unsigned i = 0; i < e->nr_parts; i++)
		run_part(r, &e->parts[i]);
	if (!r->request->json)
		report_show_goals(r->experiment);
}

static int run(const struct request *request)
{
	struct report r = { .request = request };

	r.document = report_new(PERCPU_VERSION, request->bench.quick);
	run_part(&r, &machine_part);
	for (size_t i = 0; i < EXPERIMENTS; i++)
		if (request->chosen[i])
			run_experiment(&r, experiments[i]);
	if (request->json) {
		json_dumpf(r.document, stdout,
			   JSON_INDENT(2) | JSON_REAL_PRECISION(6));
		putchar('\n');
	}
	json_decref(r.document);
	return r.failed || fflush(stdout) != 0 ? CMD_FAILED : CMD_OK;
}

int cmd_bench(int argc, char **argv)
{
	struct request request = { .json = false };
	int status = read_options(&request, argc, argv);

	if (status >= 0)
		return status;
	set_defaults(&request.bench);
	return run(&request);
}

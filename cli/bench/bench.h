/* SPDX-License-Identifier: MIT */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H
/*
 * bench.h: how experiments are made.
 *
 * An experiment has parts; a part is the comparisons that are made under one
 * slot policy. The policy is latched once per process, so each part runs in a
 * process of its own (process.h), and hands its results to the reporting
 * process as JSON, from which both reports are made.
 */
#include "harness.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct bench {
	FILE *out; /* to the reporting process, a JSON value a line */
	int cpus[HARNESS_MAX_THREADS];
	unsigned nr_cpus; /* how many of them may be used */
	bool siblings;	  /* they are two threads of one core */
	unsigned rounds;  /* quiet slices wanted */
	double seconds;	  /* for one comparison at most */
	bool quick;
	bool progress;
};

struct part {
	const char *policy; /* its name; "default" leaves it to the library */
	int policy_nr, index_nr; /* PERCPU_POLICY_*, PERCPU_INDEX_* */
	void (*run)(const struct bench *b);
};

struct experiment {
	const char *name;
	const char *what;  /* one line */
	const char *story; /* what a reader must know, in whole lines */
	/* The ratio, and the comparison it is from, that says it in short. */
	const char *short_ratio, *short_from;
	const struct part *parts;
	unsigned nr_parts;
};

extern const struct experiment experiment_h1, experiment_h2, experiment_h3,
	experiment_h4, experiment_ops, experiment_alloc, experiment_counter,
	experiment_ref, experiment_cache, experiment_rwlock, experiment_call;

/* Hand @value, a reference that is taken, to the reporting process as @kind. */
void bench_emit(const struct bench *b, const char *kind, json_t *value);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H
#include "bench.h"

#define MAX_EXPERIMENTS 16

/* What the command line asks for. */
struct request {
	struct bench bench; /* quick, seconds and progress */
	bool chosen[MAX_EXPERIMENTS];
	bool json;
};

/* All experiments, in their order; ended by NULL. */
extern const struct experiment *const experiments[];

/* Returns -1, or the exit status if nothing is left to do, which was said. */
int options_read(struct request *r, int argc, char **argv);

#endif

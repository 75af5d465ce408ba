/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H
#include "bench.h"

/*
 * Choose the CPUs to measure on among those that this process may use: the
 * first, and the first other that is no hardware thread of the same core.
 * Where all are, two of one core, and @b->siblings says so.
 */
void machine_choose_cpus(struct bench *b);

/* What runs here, and on what, as the process that calls it sees it. */
json_t *machine_describe(const struct bench *b);

#endif

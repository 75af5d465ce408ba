/* SPDX-License-Identifier: MIT */
#ifndef BENCH_COUNTER_TREE_H
#define BENCH_COUNTER_TREE_H
/*
 * counter_tree.h: counters that are read in one load, beside those of
 * counter.c.
 */
#include "bench.h"

void counter_tree_run(const struct bench *b);

#endif

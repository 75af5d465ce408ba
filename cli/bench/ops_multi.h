/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OPS_MULTI_H
#define BENCH_OPS_MULTI_H
/*
 * ops_multi.h: the comparisons of ops.c with several adds at once.
 */
#include "bench.h"

void ops_multi(const struct bench *b);

#endif

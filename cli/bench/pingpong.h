/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PINGPONG_H
#define BENCH_PINGPONG_H
#include "bench.h"

/*
 * The ns in which a cache line goes from one measured CPU to the other and
 * back; NAN if there is one CPU or it was never quiet. Takes 5 to 50 ms.
 */
double pingpong_ns(const struct bench *b);

#endif

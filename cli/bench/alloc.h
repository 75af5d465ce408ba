/* SPDX-License-Identifier: MIT */
#ifndef BENCH_ALLOC_H
#define BENCH_ALLOC_H
#include "bench.h"

#include <percpu/cpu.h>

/* Many objects, taken and freed in orders that have hurt allocators. */
void alloc_replays(const struct bench *b);

/* What objects take in memory, and how full it is. */
void alloc_memory(const struct bench *b);

#endif

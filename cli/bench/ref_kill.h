/* SPDX-License-Identifier: MIT */
#ifndef BENCH_REF_KILL_H
#define BENCH_REF_KILL_H

#include "bench.h"

/* Tables of what references take in memory, and to kill. */
void ref_kill_run(const struct bench *b);

#endif

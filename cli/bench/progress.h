/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H
#include "bench.h"

/* One line on standard error that is drawn over, if @b wants progress. */
void progress_show(const struct bench *b, const char *title, double done);
void progress_clear(const struct bench *b);

#endif

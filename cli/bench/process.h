/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H
#include "bench.h"

/*
 * Run @part in a process of its own, under its policy. @take gets each value
 * that the part hands over with bench_emit(), as an object with one key, the
 * kind; a policy that cannot be had makes one value of kind "skipped".
 *
 * Must be called before this process uses the library: it would latch its own
 * policy, and the new process would inherit it.
 * Returns 0, or -1 if the part failed, which was said on standard error.
 */
int process_run(const struct part *part, const struct bench *b,
		void (*take)(json_t *value, void *arg), void *arg);

#endif

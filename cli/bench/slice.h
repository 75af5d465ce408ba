/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SLICE_H
#define BENCH_SLICE_H
/*
 * slice.h: what one thread saw of one slice, and whether a slice counts.
 */
#include <stdbool.h>
#include <stdint.h>

struct slice {
	uint64_t start, end; /* ns on the clock that all threads share */
	uint64_t cpu;	     /* ns that the thread was running */
	long switches;	     /* times that the thread was switched out */
};

/*
 * Whether nothing disturbed this slice of @threads threads: nobody was
 * switched out, each ran for 95 % of its time at least (the rest is what a
 * hypervisor or an interrupt took), and the time during which all of them ran
 * is 80 % of the longest.
 */
bool slice_quiet(const struct slice *of, unsigned threads);

/* The threads' mean time, in ns. */
double slice_ns(const struct slice *of, unsigned threads);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H
/*
 * clock.h: clocks of the system, in ns.
 */
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif

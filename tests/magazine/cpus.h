/* SPDX-License-Identifier: MIT */
#ifndef TESTS_MAGAZINE_CPUS_H
#define TESTS_MAGAZINE_CPUS_H
/*
 * cpus.h: on which CPU a test runs.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <sched.h>
#include <string.h>

static inline void go_to(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
}

/* The @n-th CPU that this process may use, from 0; skips if it has fewer. */
static inline unsigned allowed_cpu(unsigned n)
{
	static cpu_set_t set;

	if (CPU_COUNT(&set) == 0)
		CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
	for (unsigned i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set) && n-- == 0)
			return i;
	SKIP("needs more CPUs");
}

static inline struct percpu_cache_stats stats_of(struct percpu_cache *c)
{
	struct percpu_cache_stats s;

	percpu_cache_stats(c, &s);
	return s;
}

/* Whether this process has magazines at all. */
static inline bool has_magazines(struct percpu_cache *c)
{
	return stats_of(c).batch != 0;
}

/* Whether what lies in a gone CPU's can be brought back. */
static inline bool can_collect(struct percpu_cache *c)
{
	const char *why;

	return has_magazines(c) && percpu_nr_slots() == percpu_nr_cpu_ids() &&
	       percpu_backend(&why) == PERCPU_MODE_RSEQ &&
	       getenv("PERCPU_INDEX") == NULL && percpu_fence() == 0;
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_GONE_H
#define TESTS_HOTPLUG_GONE_H
/*
 * gone.h: what a refresh can do here.
 */
#include "cpus.h"

/* Whether it can empty magazines of CPUs that are gone. */
static inline bool can_collect(struct percpu_cache *c)
{
	const char *why;

	return has_magazines(c) && percpu_nr_slots() == percpu_nr_cpu_ids() &&
	       percpu_backend(&why) == PERCPU_MODE_RSEQ &&
	       getenv("PERCPU_INDEX") == NULL && percpu_fence() == 0;
}

#endif

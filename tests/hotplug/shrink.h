/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_SHRINK_H
#define TESTS_HOTPLUG_SHRINK_H
/*
 * shrink.h: the CPUs of a process shrink and grow under its threads.
 */
#include "cpus.h"

#include <pthread.h>

/* This thread and @n @threads on the CPUs of @set, and a refresh. */
static inline void shrink_to(const pthread_t *threads, unsigned n,
			     const cpu_set_t *set)
{
	CHECK(sched_setaffinity(0, sizeof(*set), set) == 0);
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_setaffinity_np(threads[i], sizeof(*set), set) ==
		      0);
	CHECK(percpu_cpus_refresh() == 0);
}

/* One CPU, the other, both, and so on until none of @running is left. */
static inline void shrink_and_grow(const pthread_t *threads, unsigned n,
				   const unsigned *running)
{
	cpu_set_t set;

	while (__atomic_load_n(running, __ATOMIC_ACQUIRE) != 0)
		for (unsigned i = 1; i <= 3; i++) {
			CPU_ZERO(&set);
			if ((i & 1) != 0)
				CPU_SET(allowed_cpu(0), &set);
			if ((i & 2) != 0)
				CPU_SET(allowed_cpu(1), &set);
			shrink_to(threads, n, &set);
		}
}

#endif

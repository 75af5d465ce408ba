/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_CPUS_H
#define TESTS_ALLOC_CPUS_H
/*
 * cpus.h: two CPUs that may run this process, and threads on them.
 */
#include "check.h"

#include <pthread.h>
#include <sched.h>

static unsigned cpus[2]; /* set by find_two_cpus() */

/* The kernel is asked, not the library. Skips where there is one CPU. */
static inline void find_two_cpus(void)
{
	cpu_set_t set;
	unsigned found = 0;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		SKIP("more than %d CPUs", CPU_SETSIZE);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[found++] = cpu;
	if (found < 2)
		SKIP("one CPU");
}

static inline void move_to(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
}

/* From now on this thread runs where it runs now. */
static inline void stay_here(void)
{
	int cpu = sched_getcpu();

	if (cpu >= 0 && cpu < CPU_SETSIZE)
		move_to((unsigned)cpu);
}

/* Let a thread of its own run @body; it moves where it wants. */
static inline void in_thread(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, body, arg) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CALL_SUPPORT_H
#define TESTS_CALL_SUPPORT_H
/*
 * support.h: which CPUs can be called here, and functions to call there.
 */
#include "check.h"

#include <errno.h>
#include <percpu/percpu.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#define CPUS_MAX 64u

static unsigned cpus[CPUS_MAX];
static unsigned nr_cpus;

static inline void do_nothing(void *arg)
{
	(void)arg;
}

static inline void count_one(void *arg)
{
	__atomic_fetch_add((uint64_t *)arg, 1, __ATOMIC_RELAXED);
}

/* Fills in cpus[]; there is at least one. */
static inline void find_cpus(void)
{
	for (unsigned i = 0; i < percpu_nr_cpu_ids() && nr_cpus < CPUS_MAX; i++)
		if (percpu_cpu_online(i) &&
		    percpu_call(i, do_nothing, NULL) == 0)
			cpus[nr_cpus++] = i;
	CHECK(nr_cpus > 0);
}

/* The @i-th CPU, modulo their number. */
static inline unsigned cpu_at(unsigned i)
{
	return cpus[i % nr_cpus];
}

/* So that a test of "after" is none of "soon". */
static inline void wait_for(const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		usleep(100);
}

static inline void raise_flag(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static bool running;
static bool go_on;

/* Called, it keeps the worker until go_on is raised. */
static inline void hold(void *arg)
{
	(void)arg;
	raise_flag(&running);
	wait_for(&go_on);
}

#endif

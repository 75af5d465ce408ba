/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PLATFORM_COUNT_H
#define TESTS_PLATFORM_COUNT_H
/*
 * count.h: threads that add to one object, and the total that must come out.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* More than the machines have that these tests run on. */
#define COUNT_CPUS 1024

/*
 * Up to @n of the CPUs that may run this thread, from the highest; how many.
 * The kernel is asked, not the library: it is the one that is tested.
 */
static inline unsigned cpus_allowed(unsigned *cpus, unsigned n)
{
	cpu_set_t set;
	unsigned found = 0;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		SKIP("more than %d CPUs", COUNT_CPUS);
	for (unsigned cpu = COUNT_CPUS; cpu-- > 0 && found < n;)
		if (CPU_ISSET(cpu, &set))
			cpus[found++] = cpu;
	return found;
}

struct counting {
	pthread_t thread;
	uint64_t PERCPU *h;
	unsigned adds;
	int cpu; /* to run on; -1: any */
};

static inline bool pin(unsigned cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	bool done;

	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	done = sched_setaffinity(0, size, set) == 0;
	CPU_FREE(set);
	return done;
}

static inline void *counting_body(void *arg)
{
	struct counting *c = arg;

	if (c->cpu >= 0)
		CHECK(pin((unsigned)c->cpu));
	for (unsigned i = 0; i < c->adds; i++)
		percpu_inc(c->h);
	return NULL;
}

/* Add @adds from each of @n threads, whose cpu is set; then the sum is @want. */
static inline void count(struct counting *c, unsigned n, unsigned adds,
			 uint64_t PERCPU *h, uint64_t want)
{
	for (unsigned i = 0; i < n; i++) {
		c[i].h = h;
		c[i].adds = adds;
		CHECK(pthread_create(&c[i].thread, NULL, counting_body,
				     &c[i]) == 0);
	}
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_join(c[i].thread, NULL) == 0);
	CHECK_EQ(percpu_sum(h), want);
}

/* The sum as percpu_for_each_slot finds it. */
static inline uint64_t walk_sum(uint64_t PERCPU *h)
{
	uint64_t total = 0;
	uint64_t *slot;

	percpu_for_each_slot (slot, h)
		total += *slot;
	return total;
}

#endif

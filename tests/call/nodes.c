/* SPDX-License-Identifier: MIT */
/*
 * percpu_call_any() prefers the caller's CPU, then one of its node, then the
 * first; one that is not there is passed over. The eight CPUs, two to a node,
 * and where threads are, are this test's word.
 */
#include "support.h"

#include "os.h"

enum { HERE = 5, AWAY = 2 };

static __thread int bound = -1;

int __wrap_percpu__os_bind(int id, unsigned cpu);
int __wrap_percpu__os_bind(int id, unsigned cpu)
{
	(void)id;
	if (cpu == AWAY)
		return -EINVAL;
	bound = (int)cpu;
	return 0;
}

int __wrap_percpu__os_cpu(void);
int __wrap_percpu__os_cpu(void)
{
	return bound >= 0 ? bound : HERE;
}

int __wrap_percpu_cpu_to_node(unsigned cpu);
int __wrap_percpu_cpu_to_node(unsigned cpu)
{
	return (int)cpu / 2;
}

static void note_bound(void *arg)
{
	*(int *)arg = bound;
}

/* Of the CPUs that are bits of @cpus. */
static int any(unsigned long cpus)
{
	int ran_on = -1;
	cpu_set_t set;
	int ret;

	CPU_ZERO(&set);
	for (unsigned i = 0; i < 8; i++)
		if (cpus >> i & 1)
			CPU_SET(i, &set);
	ret = percpu_call_any(&set, sizeof(set), note_bound, &ran_on);
	if (ret >= 0)
		CHECK_EQ(ran_on, ret);
	return ret;
}

int main(void)
{
	CHECK_EQ(percpu_nr_cpu_ids(), 8);
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(any(0xff), HERE);
		CHECK_EQ(any(1 << 0 | 1 << 4 | 1 << 7), 4);
		CHECK_EQ(any(1 << 0 | 1 << 4), 4);
		CHECK_EQ(any(1 << 1 | 1 << 6), 1);
		CHECK_EQ(any(1 << AWAY | 1 << 7), 7);
		CHECK_EQ(any(1 << 7), 7);
		CHECK_EQ(any(1 << AWAY), -ENXIO);
		CHECK_EQ(any(0), -ENXIO);
	}
	return TEST_PASS;
}

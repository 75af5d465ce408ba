/* SPDX-License-Identifier: MIT */
/*
 * What alloc_percpu() and kin give is zero for every possible CPU, aligned as
 * asked, and goes back with free_percpu(); the names of 2008 populate it.
 */
#include "check.h"

#include <percpu/kernel.h>

#include <errno.h>

struct object {
	u64 a;
	u32 b;
};

static void zero_for_all(struct object __percpu *h)
{
	unsigned cpu;

	CHECK(h != NULL);
	for_each_possible_cpu (cpu) {
		CHECK_EQ(per_cpu_ptr(h, cpu)->a, 0);
		CHECK_EQ(per_cpu_ptr(h, cpu)->b, 0);
		per_cpu_ptr(h, cpu)->b = cpu;
	}
	for_each_possible_cpu (cpu)
		CHECK_EQ(per_cpu_ptr(h, cpu)->b, cpu);
	free_percpu(h);
}

static void on_lines(struct object __percpu *h)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		CHECK_EQ((uintptr_t)per_cpu_ptr(h, cpu) % L1_CACHE_BYTES, 0);
	zero_for_all(h);
}

static void refused(void)
{
	errno = 0;
	CHECK(__alloc_percpu(0, 8) == NULL);
	CHECK_EQ(errno, EINVAL);
	CHECK(__alloc_percpu(8, 3) == NULL);
	CHECK(__alloc_percpu_gfp(percpu_max_size() + 1, 8, GFP_NOWAIT) == NULL);
	free_percpu(NULL);
}

/* A CPU whose object was depopulated has it zero; others keep theirs. */
static void populate(void)
{
	cpumask_t all, last;
	unsigned cpu, end = nr_cpu_ids - 1;
	void __percpu *h;
	u32 *at;

	cpumask_copy(&all, cpu_possible_mask);
	cpumask_copy(&last, cpumask_of(end));
	h = percpu_alloc_mask(sizeof(struct object), GFP_KERNEL, all);
	CHECK(h != NULL);
	CHECK_EQ(percpu_populate_mask(h, sizeof(*at), GFP_KERNEL, all), 0);
	for_each_cpu (cpu, &all) {
		at = (u32 *)percpu_populate(h, sizeof(*at), GFP_KERNEL,
					    (int)cpu);
		CHECK(at == percpu_ptr((u32 PERCPU *)h, cpu));
		*at = cpu + 1;
	}
	CHECK(percpu_populate(h, 8, GFP_KERNEL, (int)nr_cpu_ids) == NULL);
	percpu_depopulate_mask(h, last);
	for_each_cpu (cpu, &all)
		CHECK_EQ(*(u32 *)percpu_ptr((u32 PERCPU *)h, cpu),
			 cpu == end ? 0 : cpu + 1);
	free_percpu(h);
}

int main(void)
{
	zero_for_all(alloc_percpu(struct object));
	zero_for_all(alloc_percpu_gfp(struct object, GFP_ATOMIC | __GFP_ZERO));
	on_lines(alloc_percpu_aligned(struct object));
	on_lines(alloc_percpu_cacheline_aligned(struct object));
	refused();
	populate();
	return TEST_PASS;
}

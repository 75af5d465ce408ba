/* SPDX-License-Identifier: MIT */
/*
 * Functions called on one CPU, on some, on all; what waits sees what they did.
 */
#include "check.h"

#include <percpu/kernel.h>

#include <errno.h>
#include <sched.h>

static cpumask_t ran;
static unsigned calls;

static void note(void *info)
{
	cpumask_set_cpu((unsigned)sched_getcpu(), &ran);
	__atomic_fetch_add((unsigned *)info, 1, __ATOMIC_RELEASE);
}

static void start(void)
{
	cpumask_clear(&ran);
	__atomic_store_n(&calls, 0, __ATOMIC_RELAXED);
}

/* Those that do not wait have been called @n times in all. */
static void wait_for(unsigned n)
{
	while (__atomic_load_n(&calls, __ATOMIC_ACQUIRE) < n)
		sched_yield();
	CHECK_EQ(__atomic_load_n(&calls, __ATOMIC_RELAXED), n);
}

/* Of the CPUs that are on line the first that this process may use. */
static int usable(void)
{
	int cpu;

	for_each_online_cpu (cpu)
		if (smp_call_function_single(cpu, note, &calls, 1) == 0)
			return cpu;
	FAIL("no CPU takes a call");
}

static void single(int cpu)
{
	start();
	CHECK_EQ(smp_call_function_single(cpu, note, &calls, 1), 0);
	CHECK_EQ(calls, 1);
	CHECK(cpumask_equal(&ran, cpumask_of(cpu)));
	CHECK_EQ(smp_call_function_single(cpu, note, &calls, 0), 0);
	CHECK_EQ(smp_call_function_single(cpu, note, &calls, 0), 0);
	wait_for(3);
	CHECK(smp_call_function_single((int)nr_cpu_ids - 1, note, &calls, 1) ==
	      -ENXIO);
	CHECK(smp_call_function_single(-1, note, &calls, 0) == -ENXIO);
	CHECK_EQ(calls, 3);
}

static int twice(void *info)
{
	return 2 * *(int *)info;
}

static void async(int cpu)
{
	static call_single_data_t csd;
	int n = 21;

	start();
	INIT_CSD(&csd, note, &calls);
	CHECK_EQ(smp_call_function_single_async(cpu, &csd), 0);
	wait_for(1);
	csd = CSD_INIT(note, &calls);
	CHECK_EQ(smp_call_function_single_async(cpu, &csd), 0);
	wait_for(2);
	CHECK_EQ(sizeof(csd), 32);
	CHECK_EQ((uintptr_t)&csd % 32, 0);
	CHECK_EQ(smp_call_on_cpu((unsigned)cpu, twice, &n, false), 42);
}

static bool not_one(int cpu, void *info)
{
	return cpu != *(int *)info;
}

static int chosen;

static void chosen_one(void *info)
{
	(void)info;
	note(&calls);
}

static void several(int cpu)
{
	unsigned all;

	start();
	CHECK_EQ(on_each_cpu(note, &calls, 1), 0);
	all = cpumask_weight(&ran);
	CHECK(all >= 1);
	CHECK_EQ(calls, all);
	start();
	CHECK_EQ(on_each_cpu_mask(cpumask_of(cpu), note, &calls, true), 0);
	CHECK(cpumask_equal(&ran, cpumask_of(cpu)));
	start();
	chosen = cpu;
	CHECK_EQ(on_each_cpu_cond(not_one, chosen_one, &chosen, true), 0);
	CHECK_EQ(calls, all - 1);
	CHECK(!cpumask_test_cpu((unsigned)cpu, &ran));
	start();
	CHECK_EQ(on_each_cpu_cond_mask(not_one, chosen_one, &chosen, true,
				       cpumask_of(cpu)),
		 0);
	CHECK_EQ(calls, 0);
	CHECK_EQ(smp_call_function_any(cpumask_of(cpu), note, &calls, 1), 0);
	CHECK_EQ(calls, 1);
}

/* Others than the caller's: that is on one CPU, so one less is called. */
static void others(int cpu)
{
	cpu_set_t before, one;
	unsigned all;

	start();
	CHECK_EQ(on_each_cpu(note, &calls, 1), 0);
	all = calls;
	CHECK(sched_getaffinity(0, sizeof(before), &before) == 0);
	CPU_ZERO(&one);
	CPU_SET((unsigned)cpu, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
	start();
	CHECK_EQ(smp_call_function(note, &calls, 1), 0);
	CHECK_EQ(calls, all - 1);
	CHECK_EQ(smp_call_function_many(cpumask_of(cpu), note, &calls, true),
		 0);
	CHECK_EQ(calls, all - 1);
	CHECK(sched_setaffinity(0, sizeof(before), &before) == 0);
}

int main(void)
{
	int cpu = usable();

	single(cpu);
	async(cpu);
	several(cpu);
	others(cpu);
	CHECK_EQ(kick_all_cpus_sync(), percpu_fence());
	return TEST_PASS;
}

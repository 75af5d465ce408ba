/* SPDX-License-Identifier: MIT */
/*
 * CPU numbers: those that are possible are all slots, those on line some of
 * them, and the one that a thread is on is possible.
 */
#include "check.h"

#include <percpu/kernel.h>

static void possible(void)
{
	unsigned cpu, n = 0;

	for_each_possible_cpu (cpu) {
		CHECK_EQ(cpu, n);
		n++;
	}
	CHECK_EQ(n, nr_cpu_ids);
	CHECK_EQ(n, num_possible_cpus());
	CHECK_EQ(n, num_present_cpus());
	CHECK_EQ(n, cpumask_weight(cpu_possible_mask));
	CHECK(!cpu_possible(n) && cpu_possible(n - 1) && cpu_present(0));
}

static void on_line(void)
{
	unsigned n = 0;
	int cpu;

	for_each_online_cpu (cpu) {
		CHECK(cpu_online((unsigned)cpu));
		CHECK(cpu_to_node(cpu) >= 0);
		n++;
	}
	CHECK_EQ(n, num_online_cpus());
	CHECK(n >= 1 && n < nr_cpu_ids);
	CHECK(!cpu_online(nr_cpu_ids - 1) && !cpu_online(~0u));
	CHECK_EQ(cpu_to_node((int)nr_cpu_ids - 1), 0);
	CHECK(numa_node_id() >= 0);
}

/* What excludes nobody compiles, and changes nothing. */
static void here(void)
{
	unsigned long flags;
	int cpu = get_cpu();

	CHECK(cpu_possible((unsigned)cpu));
	put_cpu();
	preempt_disable();
	migrate_disable();
	local_irq_save(flags);
	CHECK(cpu_possible((unsigned)smp_processor_id()));
	CHECK(cpu_possible((unsigned)raw_smp_processor_id()));
	local_irq_restore(flags);
	migrate_enable();
	preempt_enable();
}

int main(void)
{
	possible();
	on_line();
	here();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * CPU numbers: those that are possible are all slots, those on line some of
 * them, each of one node, and the one that a thread is on is possible.
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
	CHECK_EQ(n, num_active_cpus());
	CHECK(cpu_is_offline(nr_cpu_ids - 1) && !cpu_active(~0u));
	CHECK(!cpu_online(nr_cpu_ids - 1) && !cpu_online(~0u));
	CHECK_EQ(cpu_to_node((int)nr_cpu_ids - 1), 0);
	CHECK(numa_node_id() >= 0);
}

/* Each CPU on line is in the set of its node, and in no other. */
static void nodes(void)
{
	unsigned n = 0;
	int cpu, node;

	for_each_online_cpu (cpu) {
		node = cpu_to_node(cpu);
		CHECK_EQ(cpu_to_mem(cpu), node);
		CHECK(cpumask_test_cpu((unsigned)cpu, cpumask_of_node(node)));
	}
	for (node = 0; node < 64; node++)
		n += cpumask_weight(cpumask_of_node(node));
	CHECK_EQ(n, num_online_cpus());
	CHECK(cpumask_full(cpumask_of_node(-1)));
	CHECK(cpumask_empty(cpumask_of_node(1023)));
	CHECK(cpumask_empty(cpumask_of_node(1024)));
	CHECK(cpumask_empty(cpumask_of_node(-2)));
	CHECK(numa_mem_id() >= 0);
}

/* As many in a row as there are: each CPU on line once, the near ones first. */
static void spread(void)
{
	unsigned all = num_online_cpus();
	int node = numa_node_id();
	unsigned near = cpumask_weight(cpumask_of_node(node));
	cpumask_t seen = CPU_MASK_NONE;

	for (unsigned i = 0; i < all; i++) {
		unsigned cpu = cpumask_local_spread(i, node);

		CHECK(cpu_online(cpu));
		CHECK(!cpumask_test_and_set_cpu(cpu, &seen));
		CHECK((cpu_to_node((int)cpu) == node) == (i < near));
		CHECK_EQ(cpumask_local_spread(i + all, node), cpu);
	}
	CHECK(cpu_online(cpumask_local_spread(0, -1)));
}

/* What excludes nobody compiles, and changes nothing. */
static void here(void)
{
	unsigned long flags;
	int cpu = get_cpu();

	CHECK(cpu_possible((unsigned)cpu));
	put_cpu();
	preempt_disable();
	preempt_disable_notrace();
	migrate_disable();
	CHECK(cpus_read_trylock());
	cpu_relax();
	cpus_read_unlock();
	local_irq_save(flags);
	CHECK(cpu_possible((unsigned)smp_processor_id()));
	CHECK(cpu_possible((unsigned)raw_smp_processor_id()));
	local_irq_restore(flags);
	migrate_enable();
	preempt_enable_no_resched();
	preempt_enable_notrace();
}

int main(void)
{
	possible();
	on_line();
	nodes();
	spread();
	here();
	return TEST_PASS;
}

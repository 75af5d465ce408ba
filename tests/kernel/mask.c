/* SPDX-License-Identifier: MIT */
/*
 * Sets of CPUs: what is in one, what two have in common, and loops that stop
 * at the last, also when left by break; numbers beyond all are in none.
 */
#include "check.h"

#include <percpu/kernel.h>

/* A set has two numbers, whatever CPUs there are. */
#define LAST (nr_cpu_ids - 1)

static void bits(void)
{
	cpumask_var_t m;

	CHECK(alloc_cpumask_var(&m, GFP_KERNEL) && cpumask_available(m));
	cpumask_clear(m);
	CHECK(cpumask_empty(m));
	cpumask_set_cpu(LAST, m);
	cpumask_set_cpu(NR_CPUS, m);
	cpumask_set_cpu(~0u, m);
	CHECK_EQ(cpumask_weight(m), 1);
	CHECK(cpumask_test_cpu(LAST, m) && !cpumask_test_cpu(NR_CPUS, m));
	CHECK(cpumask_test_and_set_cpu(LAST, m));
	CHECK(!cpumask_test_and_set_cpu(0, m));
	CHECK(cpumask_test_and_clear_cpu(0, m));
	CHECK(!cpumask_test_and_clear_cpu(0, m));
	cpumask_clear_cpu(LAST, m);
	CHECK(cpumask_empty(m));
	free_cpumask_var(m);
}

static void find(void)
{
	struct cpumask m;

	cpumask_clear(&m);
	CHECK_EQ(cpumask_first(&m), nr_cpu_ids);
	CHECK_EQ(cpumask_last(&m), nr_cpu_ids);
	__cpumask_set_cpu(0, &m);
	__cpumask_set_cpu(LAST, &m);
	CHECK_EQ(cpumask_first(&m), 0);
	CHECK_EQ(cpumask_any(&m), 0);
	CHECK_EQ(cpumask_any_but(&m, 0), LAST);
	CHECK_EQ(cpumask_next(0, &m), LAST);
	CHECK_EQ(cpumask_next((int)LAST, &m), nr_cpu_ids);
	CHECK_EQ(cpumask_last(&m), LAST);
	CHECK_EQ(cpumask_next_and(-1, &m, cpumask_of(LAST)), LAST);
	CHECK_EQ(cpumask_first_and(&m, cpumask_of(1)),
		 LAST == 1 ? 1 : nr_cpu_ids);
	CHECK_EQ(cpumask_any_and(&m, cpumask_of(0)), 0);
	__cpumask_clear_cpu(0, &m);
	CHECK_EQ(cpumask_first(&m), LAST);
}

static void algebra(void)
{
	struct cpumask a, b;

	cpumask_setall(&a);
	CHECK(cpumask_full(&a) && cpumask_equal(&a, cpu_possible_mask));
	CHECK(cpumask_and(&b, &a, cpumask_of(0)));
	CHECK(cpumask_equal(&b, cpumask_of(0)));
	CHECK(cpumask_subset(&b, &a) && !cpumask_subset(&a, &b));
	CHECK(cpumask_andnot(&a, &a, &b));
	CHECK(!cpumask_intersects(&a, &b) && !cpumask_full(&a));
	CHECK_EQ(cpumask_weight_and(&a, cpu_possible_mask), nr_cpu_ids - 1);
	cpumask_complement(&a, &a);
	CHECK(cpumask_equal(&a, &b));
	cpumask_or(&a, &a, cpumask_of(LAST));
	CHECK_EQ(cpumask_weight(&a), 2);
	cpumask_xor(&a, &a, cpumask_of(0));
	CHECK(cpumask_equal(&a, cpumask_of(LAST)));
	CHECK(!cpumask_and(&a, &a, &b) && cpumask_empty(&a));
}

/* Each number has a set of its own, which another's call leaves alone. */
static void of_one(void)
{
	unsigned cpu;

	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		const struct cpumask *m = cpumask_of(cpu);

		CHECK_EQ(cpumask_weight(m), 1);
		CHECK(cpumask_test_cpu(cpu, m));
	}
	CHECK(cpumask_empty(cpumask_of(NR_CPUS)));
	CHECK(cpumask_empty(cpumask_of(~0u)));
	CHECK(cpumask_test_cpu(5, cpumask_of(5)));
}

/* Those of all numbers and of none are there, as objects and as values. */
static void constants(void)
{
	static cpumask_t here = { CPU_BITS_CPU0 };
	cpumask_t m = CPU_MASK_ALL;

	CHECK_EQ(cpumask_weight(&m), NR_CPUS);
	CHECK(cpumask_equal(&m, cpu_all_mask) && cpumask_full(&m));
	m = CPU_MASK_NONE;
	CHECK(cpumask_empty(&m) && cpumask_equal(&m, cpu_none_mask));
	m = CPU_MASK_CPU0;
	CHECK(cpumask_equal(&m, get_cpu_mask(0)));
	CHECK(cpumask_equal(&m, &here));
	CHECK(cpumask_equal(cpu_active_mask, cpu_online_mask));
}

/* Members by number, from the last on to the first, and what is no member. */
static void walks(void)
{
	struct cpumask m = CPU_MASK_CPU0;

	__cpumask_set_cpu(LAST, &m);
	CHECK_EQ(cpumask_nth(0, &m), 0);
	CHECK_EQ(cpumask_nth(1, &m), LAST);
	CHECK_EQ(cpumask_nth(2, &m), nr_cpu_ids);
	CHECK_EQ(cpumask_nth_and(0, &m, cpumask_of(LAST)), LAST);
	CHECK_EQ(cpumask_nth_and(1, &m, cpumask_of(LAST)), nr_cpu_ids);
	CHECK_EQ(cpumask_next_wrap(0, &m), LAST);
	CHECK_EQ(cpumask_next_wrap((int)LAST, &m), 0);
	CHECK_EQ(cpumask_next_and_wrap(0, &m, cpumask_of(0)), 0);
	CHECK_EQ(cpumask_next_wrap(0, cpu_none_mask), nr_cpu_ids);
	CHECK_EQ(cpumask_first_zero(&m), LAST > 1 ? 1 : nr_cpu_ids);
	CHECK_EQ(cpumask_next_zero((int)LAST, &m), nr_cpu_ids);
	CHECK_EQ(cpumask_first_and_and(&m, cpu_all_mask, cpumask_of(LAST)),
		 LAST);
	CHECK_EQ(cpumask_any_and_but(&m, cpu_all_mask, 0), LAST);
	CHECK_EQ(cpumask_weight_andnot(&m, cpumask_of(0)), 1);
}

/* From the start on, then those before it: each once, whatever the start. */
static void wraps(void)
{
	cpumask_t seen = CPU_MASK_NONE;
	unsigned cpu = 0, before = LAST, n = 0, asked = 0;

	for_each_cpu_wrap(cpu, cpu_possible_mask, (asked++, LAST))
	{
		CHECK(!cpumask_test_and_set_cpu(cpu, &seen));
		CHECK_EQ(cpu, n == 0 ? LAST : n - 1);
		n++;
	}
	CHECK_EQ(asked, 1);
	CHECK_EQ(n, nr_cpu_ids);
	for_each_cpu_wrap(cpu, cpu_possible_mask, ~0u) before = cpu;
	CHECK_EQ(before, LAST);
	for_each_cpu_wrap(cpu, cpumask_of(0), 1) n++;
	CHECK_EQ(n, nr_cpu_ids + 1);
	for_each_cpu_wrap(cpu, cpu_none_mask, 1) FAIL("of no set");
	for_each_cpu_wrap(cpu, cpu_possible_mask, 1) break;
	CHECK_EQ(cpu, 1);
}

static void loops(void)
{
	struct cpumask ends;
	unsigned cpu, n = 0;

	cpumask_copy(&ends, cpumask_of(0));
	__cpumask_set_cpu(LAST, &ends);
	for_each_cpu (cpu, &ends) {
		CHECK_EQ(cpu, n == 0 ? 0 : LAST);
		n++;
	}
	CHECK_EQ(n, 2);
	for_each_cpu (cpu, &ends)
		break;
	CHECK_EQ(cpu, 0);
	for_each_cpu_and (cpu, &ends, cpumask_of(LAST))
		CHECK_EQ(cpu, LAST);
	for_each_cpu_andnot (cpu, cpu_possible_mask, &ends)
		n++;
	CHECK_EQ(n, nr_cpu_ids);
	for_each_cpu_or(cpu, cpumask_of(0), cpumask_of(LAST))
	{
		CHECK(cpumask_test_cpu(cpu, &ends));
		n++;
	}
	CHECK_EQ(n, nr_cpu_ids + 2);
	cpu = 1;
	for_each_cpu_from(cpu, &ends) CHECK_EQ(cpu, LAST);
}

int main(void)
{
	bits();
	find();
	algebra();
	of_one();
	constants();
	walks();
	wraps();
	loops();
	return TEST_PASS;
}

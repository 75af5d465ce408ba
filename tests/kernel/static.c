/* SPDX-License-Identifier: MIT */
/*
 * A variable of DEFINE_PER_CPU() is in every CPU's memory as initialised, the
 * shared slot's too, and each CPU's is its own.
 */
#include "static.h"
#include "check.h"

struct pair {
	u64 a;
	u32 b;
};

static DEFINE_PER_CPU(int, number) = 7;
static DEFINE_PER_CPU(struct pair, pair) = { 1, 2 };
static DEFINE_PER_CPU(int[3], array) = { 3, 4, 5 };
static DEFINE_PER_CPU_ALIGNED(u64, line);
static DEFINE_PER_CPU_PAGE_ALIGNED(u64, page);
static DEFINE_PER_CPU_READ_MOSTLY(int, *pointer);
static DEFINE_PER_CPU(u32, early) = 4;
EXPORT_PER_CPU_SYMBOL_GPL(number);

static void starts_as_initialised(void)
{
	unsigned cpu, n = 0;

	for_each_possible_cpu (cpu) {
		CHECK_EQ(per_cpu(number, cpu), 7);
		CHECK_EQ(per_cpu(pair, cpu).a, 1);
		CHECK_EQ(per_cpu(pair, cpu).b, 2);
		CHECK_EQ(per_cpu(array, cpu)[2], 5);
		CHECK_EQ(per_cpu(line, cpu), 0);
		CHECK(per_cpu(pointer, cpu) == NULL);
		n++;
	}
	CHECK_EQ(n, percpu_nr_slots() + 1);
}

/* Before the constructors of the variables. */
static void __attribute__((constructor(101))) use_early(void)
{
	this_cpu_inc(early);
}

static void early_use_counts(void)
{
	unsigned cpu;
	u32 sum = 0;

	for_each_possible_cpu (cpu)
		sum += per_cpu(early, cpu);
	CHECK_EQ(sum, 4 * nr_cpu_ids + 1);
}

static void aligned(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		CHECK_EQ((uintptr_t)per_cpu_ptr(&line, cpu) % PERCPU_LINE, 0);
		CHECK_EQ((uintptr_t)per_cpu_ptr(&page, cpu) % 4096, 0);
	}
}

static void one_cpu_is_not_another(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		per_cpu(pair.b, cpu) += cpu;
	for_each_possible_cpu (cpu)
		CHECK_EQ(per_cpu(pair, cpu).b, 2 + cpu);
}

/* A variable of another file is one variable. */
static void elsewhere_is_the_same(void)
{
	unsigned cpu;
	u32 sum = 0;

	this_cpu_inc(elsewhere);
	add_elsewhere(5);
	for_each_possible_cpu (cpu) {
		sum += per_cpu(elsewhere, cpu);
		CHECK_EQ(per_cpu(bytes_elsewhere, cpu)[2], 3);
		CHECK_EQ(per_cpu(page_elsewhere, cpu), 12);
	}
	CHECK_EQ(sum, 11 * nr_cpu_ids + 6);
}

static unsigned long at(const void *p)
{
	return (unsigned long)(uintptr_t)p;
}

/* From the first byte of CPU @cpu's copy of all variables to the last. */
static void ends_are_known(unsigned cpu)
{
	unsigned long size =
		at(__stop_percpu_kernel) - at(__start_percpu_kernel);
	unsigned long first = at(&per_cpu(pair, cpu)) -
			      (at(&pair) - at(__start_percpu_kernel));

	CHECK(!is_kernel_percpu_address(first - 1));
	CHECK(is_kernel_percpu_address(first));
	CHECK(is_kernel_percpu_address(first + size - 1));
	CHECK(!is_kernel_percpu_address(first + size));
}

/* Conformance 38. */
static void address_is_known(void)
{
	u64 __percpu *h = alloc_percpu(u64);
	unsigned long same = 0;
	unsigned cpu;

	CHECK(h != NULL);
	for_each_possible_cpu (cpu) {
		CHECK(__is_kernel_percpu_address(at(&per_cpu(pair, cpu).b),
						 &same));
		CHECK_EQ(same, at(&per_cpu(pair, 0).b));
		CHECK(is_kernel_percpu_address(at(&per_cpu(elsewhere, cpu))));
		CHECK(!is_kernel_percpu_address(at(per_cpu_ptr(h, cpu))));
		ends_are_known(cpu);
	}
	CHECK(!is_kernel_percpu_address(at(&number)));
	CHECK(!is_kernel_percpu_address(at(&same)));
	free_percpu(h);
}

int main(void)
{
	CHECK(percpu_kernel_ready());
	starts_as_initialised();
	early_use_counts();
	aligned();
	one_cpu_is_not_another();
	elsewhere_is_the_same();
	address_is_known();
	return TEST_PASS;
}

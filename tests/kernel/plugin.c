/* SPDX-License-Identifier: MIT */
/*
 * plugin.c: a plug-in with variables of the kernel's kind, which its
 * constructors and destructors use, too. ../static/reload.c loads it.
 */
#include <percpu/kernel.h>

static DEFINE_PER_CPU(u64, count);
static DEFINE_PER_CPU(u32, seven) = 7;
static DEFINE_PER_CPU_ALIGNED(char[3000], large);

int plugin_fresh(void);
u64 plugin_add(unsigned n);

static u64 counted(void)
{
	u64 sum = 0;
	unsigned cpu;

	for_each_possible_cpu (cpu)
		sum += per_cpu(count, cpu);
	return sum;
}

/* Whether all is as it starts. */
int plugin_fresh(void)
{
	char all = 0;
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		if (per_cpu(count, cpu) != 0 || per_cpu(seven, cpu) != 7)
			return 0;
		for (unsigned i = 0; i < 3000; i++)
			all = (char)(all | per_cpu(large, cpu)[i]);
	}
	return all == 0;
}

u64 plugin_add(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		this_cpu_inc(count);
		this_cpu_add(seven, 5);
		(*this_cpu_ptr(&large))[i % 3000] = 1;
	}
	return counted();
}

static void __attribute__((constructor)) begin(void)
{
	this_cpu_inc(count);
	this_cpu_dec(count);
}

static void __attribute__((destructor)) end(void)
{
	this_cpu_inc(count);
}

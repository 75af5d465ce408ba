/* SPDX-License-Identifier: MIT */
/*
 * The forms in which kernel code names what is per CPU: variables of every
 * kind, elements and fields of them, pointers to objects kept in variables,
 * objects without a type.
 */
#include "check.h"

#include <percpu/kernel.h>

#include <string.h>

struct node {
	struct node *next;
	u32 count[2];
	struct {
		u16 low;
		s16 high;
	} inner;
};

enum state { IDLE, BUSY };

static DEFINE_PER_CPU(struct node *, list);
static DEFINE_PER_CPU(struct node, node);
static DEFINE_PER_CPU(struct node[2], nodes);
static DEFINE_PER_CPU(bool, flag);
static DEFINE_PER_CPU(enum state, state) = BUSY;
static DEFINE_PER_CPU(struct node __percpu *, objects);
static struct node a, b;

/* On whichever CPU each line is: the other threads of this test are none. */
static void sum_is(u32 want)
{
	u32 sum = 0;
	unsigned cpu;

	for_each_possible_cpu (cpu)
		sum += per_cpu(node, cpu).count[1] +
		       per_cpu(nodes, cpu)[1].count[0] +
		       (u32)per_cpu(nodes[0].inner.low, cpu);
	CHECK_EQ(sum, want);
}

static void fields(void)
{
	this_cpu_inc(node.count[1]);
	this_cpu_add(nodes[1].count[0], 2);
	this_cpu_sub(nodes[0].inner.low, 1);
	raw_cpu_inc(nodes[0].inner.low);
	sum_is(3);
}

/* Each CPU's variable holds a pointer. */
static void pointers(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		per_cpu(list, cpu) = &a;
		CHECK(*per_cpu_ptr(&list, cpu) == &a);
	}
	CHECK(this_cpu_read(list) == &a);
	CHECK(this_cpu_read(list)->next == NULL);
	for_each_possible_cpu (cpu)
		*per_cpu_ptr(&list, cpu) = NULL;
	CHECK(__this_cpu_read(list) == NULL);
	this_cpu_write(list, &b);
	for_each_possible_cpu (cpu)
		CHECK(per_cpu(list, cpu) == NULL || per_cpu(list, cpu) == &b);
}

static void small(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		CHECK(per_cpu(state, cpu) == BUSY && !per_cpu(flag, cpu));
	this_cpu_write(flag, true);
	for_each_possible_cpu (cpu)
		per_cpu(flag, cpu) = true;
	CHECK(this_cpu_read(flag));
	CHECK(this_cpu_read(state) == BUSY);
}

/* A variable whose value is a handle. */
static void handles(void)
{
	struct node __percpu *h = alloc_percpu(struct node);
	unsigned cpu;

	CHECK(h != NULL);
	for_each_possible_cpu (cpu)
		per_cpu(objects, cpu) = h;
	per_cpu_ptr(per_cpu(objects, 0), 0)->count[0] = 6;
	CHECK_EQ(per_cpu_ptr(h, 0)->count[0], 6);
	free_percpu(h);
}

static void without_type(void)
{
	void __percpu *h = __alloc_percpu(24, __alignof__(u64));
	unsigned cpu;

	CHECK(h != NULL);
	for_each_possible_cpu (cpu)
		memset(per_cpu_ptr(h, cpu), 1, 24);
	CHECK(*(char *)this_cpu_ptr(h) == 1);
	free_percpu(h);
}

static u32 calls(void)
{
	static DEFINE_PER_CPU(u32, times);
	unsigned cpu;
	u32 sum = 0;

	this_cpu_inc(times);
	for_each_possible_cpu (cpu)
		sum += per_cpu(times, cpu);
	return sum;
}

int main(void)
{
	fields();
	pointers();
	small();
	handles();
	without_type();
	CHECK_EQ(calls(), 1);
	CHECK_EQ(calls(), 2);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Operations on variables, objects and fields of both: exact over all possible
 * CPUs, however many threads there are; values convert as in C.
 */
#include "check.h"

#include <percpu/kernel.h>

#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, ROUNDS = 20000 };

struct stats {
	u32 packets;
	u64 bytes;
	long pending[2];
};

static DEFINE_PER_CPU(struct stats, stats);
static DEFINE_PER_CPU(u8, narrow);
static struct stats __percpu *object;

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		this_cpu_inc(stats.packets);
		__this_cpu_add(stats.bytes, 3);
		raw_cpu_dec(object->packets);
		this_cpu_sub(object->bytes, (u32)1);
		this_cpu_add(object->pending[1], 2);
		if (i % 1000 == 0)
			sched_yield();
	}
	return arg;
}

static void exact(void)
{
	pthread_t threads[THREADS];
	struct stats sum = { 0, 0, { 0, 0 } };
	unsigned cpu;

	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for_each_possible_cpu (cpu) {
		sum.packets += per_cpu(stats, cpu).packets;
		sum.bytes += per_cpu(stats.bytes, cpu);
		sum.packets += per_cpu_ptr(object, cpu)->packets;
		sum.bytes += *per_cpu_ptr(&object->bytes, cpu);
		sum.pending[1] += per_cpu_ptr(object, cpu)->pending[1];
	}
	CHECK_EQ(sum.packets, 0);
	CHECK_EQ(sum.bytes,
		 per_cpu_sum(&stats.bytes) + per_cpu_sum(&object->bytes));
	CHECK_EQ(sum.bytes, 2ull * THREADS * ROUNDS);
	CHECK_EQ(sum.pending[1], 2ll * THREADS * ROUNDS);
}

/* One thread on one CPU: what an operation leaves, the next one finds. */
static void values(void)
{
	u64 old = 5;

	this_cpu_write(stats.bytes, 0);
	this_cpu_sub(stats.bytes, (u32)1);
	CHECK_EQ(this_cpu_read(stats.bytes), ~0ull);
	raw_cpu_write(stats.bytes, 0);
	raw_cpu_sub(stats.bytes, (u32)1);
	CHECK_EQ(this_cpu_add_return(stats.bytes, 13), 12);
	CHECK_EQ(this_cpu_sub_return(stats.bytes, (u32)2), 10);
	CHECK_EQ(__this_cpu_inc_return(stats.bytes), 11);
	CHECK_EQ(raw_cpu_dec_return(stats.bytes), 10);
	this_cpu_and(stats.bytes, 6);
	this_cpu_or(stats.bytes, 5);
	this_cpu_xor(stats.bytes, 4);
	CHECK_EQ(this_cpu_xchg(stats.bytes, 4), 3);
	CHECK_EQ(this_cpu_cmpxchg(stats.bytes, 3, 9), 4);
	CHECK_EQ(this_cpu_cmpxchg(stats.bytes, 4, 9), 4);
	CHECK(!this_cpu_try_cmpxchg(stats.bytes, &old, 1));
	CHECK_EQ(old, 9);
	CHECK(this_cpu_try_cmpxchg(stats.bytes, &old, 8));
	CHECK_EQ(this_cpu_cmpxchg64(stats.bytes, 8, 7), 8);
	old = 7;
	CHECK(this_cpu_try_cmpxchg64(stats.bytes, &old, 0));
	irqsafe_cpu_inc(stats.bytes);
	CHECK_EQ(this_cpu_read(stats.bytes), 1);
	this_cpu_write(narrow, 0);
	CHECK_EQ(this_cpu_dec_return(narrow), 255);
	CHECK_EQ(this_cpu_add_return(narrow, 258), 1);
}

static void pointers(void)
{
	struct stats *s = get_cpu_ptr(object);

	CHECK(s == this_cpu_ptr(object) && s == raw_cpu_ptr(object));
	CHECK(s == per_cpu_ptr(object, smp_processor_id()));
	put_cpu_ptr(object);
	__get_cpu_var(narrow) = 76;
	get_cpu_var(narrow) = 77;
	put_cpu_var(narrow);
	CHECK_EQ(*this_cpu_ptr(&narrow), 77);
	CHECK_EQ(this_cpu_read(narrow), 77);
}

/* Of the CPUs that this thread may use the first one, so that it stays. */
static void stay(void)
{
	cpu_set_t set;
	unsigned cpu = 0;

	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
}

int main(void)
{
	object = alloc_percpu(struct stats);
	CHECK(object != NULL);
	exact();
	stay();
	values();
	pointers();
	free_percpu(object);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * B10: a program starts where one CPU is on line; others come, are used, and
 * go, while it runs: all is exact before and after, and what was counted on a
 * CPU that is gone stays there.
 */
#include "../hotplug/load.h"
#include "../magazine/cpus.h"
#include "online.h"

#include <pthread.h>

enum { STEPS = 2000 };

static uint64_t done;

static void *work_on(void *arg)
{
	go_to((unsigned)(uintptr_t)arg);
	for (unsigned i = 0; i < STEPS; i++)
		load_step();
	done += STEPS;
	return NULL;
}

static void work(unsigned cpu)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, work_on, (void *)(uintptr_t)cpu) ==
	      0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK_EQ(percpu_sum(load.plain), done);
	CHECK_EQ(percpu_counter_sum(&load.counter), 3 * done);
}

static uint64_t count_of(unsigned cpu)
{
	return *percpu_ptr(load.plain, cpu);
}

static void come_and_go(unsigned cpu)
{
	uint64_t before = count_of(cpu);
	uint64_t count;

	CHECK(!percpu_cpu_online(cpu));
	CHECK(online_put(cpu, true) == 0);
	CHECK(percpu_cpu_online(cpu));
	work(cpu);
	count = count_of(cpu);
	/* Slots by concurrency id are no CPU's. */
	CHECK(count > before || getenv("PERCPU_INDEX") != NULL);
	CHECK(online_put(cpu, false) == 0);
	CHECK_EQ(count_of(cpu), count);
	work(0);
	CHECK_EQ(percpu_cpus_refresh(), 0);
	CHECK_EQ(count_of(cpu), count);
}

int main(void)
{
	CHECK(percpu_cpu_online(0) && !percpu_cpu_online(1));
	CHECK(percpu_nr_cpu_ids() > 1);
	load_start(1);
	work(0);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned cpu = 1; cpu < percpu_nr_cpu_ids(); cpu++)
			come_and_go(cpu);
	load_end(done);
	return TEST_PASS;
}

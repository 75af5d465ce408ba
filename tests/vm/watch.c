/* SPDX-License-Identifier: MIT */
/*
 * In a machine, the watcher hears of each CPU that goes off line and comes
 * back, and brings what was cached for it within reach. It hears: its look once
 * a second sees nothing here (ld --wrap).
 */
#include "../hotplug/watched.h"
#include "../magazine/cpus.h"
#include "online.h"

enum { ITEMS = 40 };

int __wrap_percpu__hotplug_look(void *known);

int __wrap_percpu__hotplug_look(void *known)
{
	(void)known;
	return 0;
}

static struct percpu_cache *c;

static void put(unsigned cpu, bool online)
{
	uint64_t before = said;

	CHECK(online_put(cpu, online) == 0);
	wait_until_said(before + 1);
}

static void check(unsigned cpu, unsigned other)
{
	uint64_t item;

	go_to(cpu);
	for (uint64_t i = 0; i < ITEMS; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	go_to(other);
	put(cpu, false);
	if (can_collect(c))
		CHECK_EQ(stats_of(c).depot, ITEMS);
	put(cpu, true);
	for (uint64_t i = 0; i < ITEMS; i++)
		CHECK(percpu_cache_get(c, &item) == 0);
	printf("CPU %u went and came back\n", cpu);
}

int main(void)
{
	struct percpu_cache_attr attr = { 0 };

	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	CHECK(percpu_cpus_watch(say, NULL) == 0);
	for (unsigned n = 1; n < percpu_nr_cpu_ids(); n++)
		check(allowed_cpu(n), allowed_cpu(0));
	CHECK(percpu_cpus_unwatch() == 0);
	percpu_cache_destroy(c);
	return TEST_PASS;
}

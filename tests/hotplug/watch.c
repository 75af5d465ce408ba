/* SPDX-License-Identifier: MIT */
/*
 * The watcher's own thread may run on a CPU that the program's last one has
 * left, and the CPU is gone nevertheless. It notices, though the kernel tells
 * nobody, and though the program has refreshed; and it leaves that CPU, too.
 */
#include "cpus.h"
#include "watched.h"

enum { ITEMS = 40 };

/* Any thread but this one. */
static bool watcher_may_use(unsigned cpu)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	bool may = false;

	CHECK(dir != NULL);
	while ((entry = readdir(dir)) != NULL) {
		int id = atoi(entry->d_name);
		cpu_set_t set;

		if (id != 0 && id != getpid() &&
		    sched_getaffinity(id, sizeof(set), &set) == 0)
			may |= CPU_ISSET(cpu, &set);
	}
	CHECK(closedir(dir) == 0);
	return may;
}

int main(void)
{
	struct percpu_cache_attr attr = { 0 };
	struct percpu_cache *c = percpu_cache_create(&attr);
	unsigned left = allowed_cpu(1);

	alarm(60);
	CHECK(c != NULL);
	CHECK(percpu_cpus_watch(say, NULL) == 0);
	go_to(left);
	for (uint64_t i = 0; i < ITEMS; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	go_to(allowed_cpu(0));
	CHECK(percpu_cpus_refresh() == 0);
	if (can_collect(c))
		CHECK_EQ(stats_of(c).depot, ITEMS);
	wait_until_said(1);
	/* It may have seen this thread on the other CPU alone. */
	while (watcher_may_use(left))
		usleep(1000);
	CHECK(percpu_cpus_unwatch() == 0);
	percpu_cache_destroy(c);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * The watcher's own thread may run on a CPU that the program's last one has
 * left, and the CPU is gone nevertheless. It notices, though the kernel tells
 * nobody, and though the program has refreshed; and it leaves that CPU, too.
 */
#include "cpus.h"
#include "tasks.h"
#include "watched.h"

enum { ITEMS = 40 };

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
	while (others_may_use(left))
		usleep(1000);
	CHECK(percpu_cpus_unwatch() == 0);
	percpu_cache_destroy(c);
	return TEST_PASS;
}

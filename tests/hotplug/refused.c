/* SPDX-License-Identifier: MIT */
/*
 * A refresh that is refused the affinity says why, and changes nothing.
 */
#include "cpus.h"
#include "refuse.h"

#include <errno.h>
#include <sys/syscall.h>

int main(void)
{
	struct percpu_cache_attr attr = { 0 };
	struct percpu_cache *c = percpu_cache_create(&attr);

	CHECK(c != NULL);
	go_to(allowed_cpu(1));
	CHECK(percpu_cache_put(c, 1) == 0);
	go_to(allowed_cpu(0));
	refuse(SYS_sched_getaffinity, EPERM);
	CHECK(percpu_cpus_refresh() == -EPERM);
	CHECK_EQ(stats_of(c).depot, 0);
	percpu_cache_destroy(c);
	return TEST_PASS;
}

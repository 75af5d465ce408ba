/* SPDX-License-Identifier: MIT */
/*
 * A refresh that is refused the affinity, or a descriptor to ask with, says
 * why, and changes nothing.
 */
#include "cpus.h"
#include "refuse.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static void set_descriptors(rlim_t n)
{
	struct rlimit limit;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = n;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

int main(void)
{
	struct percpu_cache_attr attr = { 0 };
	struct percpu_cache *c = percpu_cache_create(&attr);
	size_t had;

	CHECK(c != NULL);
	go_to(allowed_cpu(1));
	CHECK(percpu_cache_put(c, 1) == 0);
	/* Where there are no magazines, it is there. */
	had = stats_of(c).depot;
	go_to(allowed_cpu(0));
	set_descriptors(0);
	CHECK(percpu_cpus_refresh() == -EMFILE);
	set_descriptors(64);
	CHECK_EQ(stats_of(c).depot, had);
	refuse(SYS_sched_getaffinity, EPERM);
	CHECK(percpu_cpus_refresh() == -EPERM);
	CHECK_EQ(stats_of(c).depot, had);
	percpu_cache_destroy(c);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * B08: a libc whose counts of CPUs follow the affinity, here always 1, does not
 * make tables smaller: threads on each CPU add exactly, each in its slot.
 */
#include "count.h"

#include <dlfcn.h>
#include <unistd.h>

long sysconf(int name)
{
	static long (*real)(int);

	if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN)
		return 1;
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "sysconf");
	return real(name);
}

#define ADDS 100000u

int main(void)
{
	struct counting threads[2];
	uint64_t PERCPU *h = percpu_new(uint64_t);
	unsigned cpus[2];

	CHECK(h != NULL);
	if (cpus_allowed(cpus, 2) < 2)
		SKIP("one CPU is allowed");
	CHECK(cpus[0] < percpu_nr_slots());
	for (unsigned i = 0; i < 2; i++)
		threads[i].cpu = (int)cpus[i];
	count(threads, 2, ADDS, h, 2 * ADDS);
	CHECK_EQ(walk_sum(h), 2 * ADDS);
	if (percpu_backend(NULL) != PERCPU_MODE_SHARED)
		CHECK(*percpu_ptr(h, cpus[0]) > 0);
	return TEST_PASS;
}

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
	unsigned n = 0;

	CHECK(h != NULL);
	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids() && n < 2; cpu++)
		if (percpu_cpu_allowed(cpu))
			threads[n++].cpu = (int)cpu;
	if (n < 2)
		SKIP("one CPU is allowed");
	CHECK((unsigned)threads[1].cpu < percpu_nr_slots());
	count(threads, n, ADDS, h, (uint64_t)n * ADDS);
	CHECK_EQ(walk_sum(h), n * ADDS);
	if (percpu_backend(NULL) != PERCPU_MODE_SHARED)
		CHECK(*percpu_ptr(h, (unsigned)threads[1].cpu) > 0);
	return TEST_PASS;
}

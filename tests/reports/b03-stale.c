/* SPDX-License-Identifier: MIT */
/*
 * b03-stale.c: a registration is asked of the kernel, not read from the area.
 *
 * Report: as b03-unregistered.c. After a restore the area still had the CPU
 * number of long ago.
 *
 * usage: b03-stale stale|refused|live
 *   stale    not registered, an old CPU number in the area: registered anew
 *   refused  the same, and no registration is allowed: atomics, on whatever
 *            unit libc believes in
 *   live     registered, and no question about it is allowed: used
 */
#include "refuse.h"
#include "unregister.h"

#include <errno.h>
#include <percpu/percpu.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

static void go_to(unsigned cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		SKIP("CPU %u is not to be had", cpu);
}

static void make_stale(void)
{
	volatile struct rseq *area = libc_area();

	unregister();
	area->cpu_id = 0;
}

int main(int argc, char **argv)
{
	bool stale;
	bool refused;
	uint64_t PERCPU *h;

	CHECK(argc == 2);
	stale = strcmp(argv[1], "live") != 0;
	refused = strcmp(argv[1], "stale") != 0;
	if (stale)
		make_stale();
	if (refused)
		refuse(__NR_rseq, EPERM);
	CHECK_EQ(percpu_backend(NULL),
		 stale && refused ? PERCPU_MODE_ATOMIC : PERCPU_MODE_RSEQ);
	h = percpu_new(uint64_t);
	CHECK(h != NULL);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		go_to(cpu);
		percpu_inc(h);
		if (stale && refused)
			continue;
		CHECK_EQ(percpu_this_slot(), cpu);
		CHECK_EQ(*percpu_ptr(h, cpu), 1);
	}
	CHECK_EQ(percpu_sum(h), 2);
	return TEST_PASS;
}

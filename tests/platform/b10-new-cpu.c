/* SPDX-License-Identifier: MIT */
/*
 * B10: CPUs 0-3 are possible. A thread is on 0, later on 3, then on 7, which
 * was not possible at the start: every sum is exact, 7 counts in the shared
 * slot, and what was counted on a CPU that is gone stays.
 *
 * Where the thread is is this test's word: its sched_getcpu stands before
 * libc's. Started with possible CPUs 0-3 and PERCPU_BACKEND=atomic.
 */
#include "count.h"

#include <errno.h>

static int here;

int sched_getcpu(void)
{
	errno = ENOSYS; /* looked at if here is -1 */
	return here;
}

static void add(uint64_t PERCPU *h, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		percpu_inc(h);
}

int main(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_ATOMIC);
	if (percpu_nr_slots() != 4)
		SKIP("CPUs beyond 3 are allowed");
	add(h, 10);
	CHECK_EQ(percpu_sum(h), 10);
	here = 3;
	add(h, 100);
	CHECK_EQ(percpu_sum(h), 110);
	here = 7;
	CHECK_EQ(percpu_this_slot(), 4);
	add(h, 1000);
	CHECK_EQ(percpu_sum(h), 1110);
	here = -1;
	add(h, 10000);
	CHECK_EQ(percpu_sum(h), 11110);
	CHECK_EQ(walk_sum(h), 11110);
	CHECK_EQ(*percpu_ptr(h, 0), 10);
	CHECK_EQ(*percpu_ptr(h, 3), 100);
	CHECK_EQ(*percpu_shared_ptr(h), 11000);
	return TEST_PASS;
}

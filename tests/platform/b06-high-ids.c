/* SPDX-License-Identifier: MIT */
/*
 * B06: CPUs 3, 7 and 900 are allowed of 0-1023 possible: sums are exact, each
 * of the three slots is used, visited, and no other is.
 *
 * Where the threads are is this test's word: its sched_getcpu and
 * sched_getaffinity stand before libc's. Started with possible CPUs 0-1023 and
 * PERCPU_BACKEND=atomic.
 */
#include "count.h"

#include <errno.h>
#include <string.h>

static const unsigned ids[] = { 3, 7, 900 };

#define N (sizeof(ids) / sizeof(ids[0]))
#define THREADS 4u
#define ADDS 20000u

int sched_getcpu(void)
{
	static _Thread_local unsigned calls;

	return (int)ids[calls++ % N];
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	if (size < 1024 / 8) {
		errno = EINVAL;
		return -1;
	}
	memset(set, 0, size);
	for (size_t i = 0; i < N; i++)
		CPU_SET_S(ids[i], size, set);
	return 0;
}

static bool is_used(unsigned slot)
{
	for (size_t i = 0; i < N; i++)
		if (ids[i] == slot)
			return true;
	return false;
}

int main(void)
{
	struct counting threads[THREADS];
	uint64_t PERCPU *h = percpu_new(uint64_t);
	uint64_t want = (uint64_t)THREADS * ADDS;

	CHECK(h != NULL);
	CHECK_EQ(percpu_nr_slots(), 1024);
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_ATOMIC);
	CHECK(percpu_cpu_allowed(900) && !percpu_cpu_allowed(0));
	for (unsigned i = 0; i < THREADS; i++)
		threads[i].cpu = -1;
	count(threads, THREADS, ADDS, h, want);
	CHECK_EQ(walk_sum(h), want);
	for (unsigned slot = 0; slot <= percpu_nr_slots(); slot++)
		CHECK_EQ(*percpu_ptr(h, slot) != 0, is_used(slot));
	return TEST_PASS;
}

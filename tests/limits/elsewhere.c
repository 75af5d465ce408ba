/* SPDX-License-Identifier: MIT */
/*
 * What was freed on one CPU is had on another before an allocation there is
 * refused: nothing is out of reach in what is kept at hand for a CPU.
 */
#include "limit.h"

#include <sched.h>

#define CHUNKS 2

static unsigned cpus[2];

static void find_two(void)
{
	unsigned have = 0;

	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids() && have < 2; cpu++)
		if (percpu_cpu_allowed(cpu))
			cpus[have++] = cpu;
	if (have < 2)
		SKIP("one CPU");
}

static void move_to(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
}

/* Fill and free, now on one CPU, now on the other. */
static void wander(size_t size)
{
	unsigned first;

	pool.size = size;
	move_to(cpus[0]);
	CHECK(pool_fill(POOL_MAX));
	first = pool.live;
	for (unsigned turn = 1; turn <= 4; turn++) {
		pool_free(turn % 2 == 0 ? 1 : 2);
		move_to(cpus[turn % 2]);
		CHECK(pool_fill(POOL_MAX));
		CHECK(pool.live >= first);
	}
	pool_check();
	pool_free(1);
	printf("%u objects of %zu bytes\n", first, size);
}

int main(void)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more");
	find_two();
	SET_LIMIT(RLIMIT_AS, size_now() + CHUNKS * chunk_bytes() * 3 / 2);
	for (size_t size = 1024; size >= 64; size /= 4)
		wander(size);
	wander(1024);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * B01: whoever owns the threads' areas, adds are exact and stay in the table.
 * Started plain, with libc's registration off, under an emulator, and under
 * valgrind.
 */
#include "count.h"

#define THREADS 4u
#define ADDS 50000u

int main(void)
{
	struct counting threads[THREADS];
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	for (unsigned i = 0; i < THREADS; i++)
		threads[i].cpu = -1;
	count(threads, THREADS, ADDS, h, (uint64_t)THREADS * ADDS);
	CHECK_EQ(walk_sum(h), THREADS * ADDS);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * A program started with `ulimit -v 100000` has 100,000 objects of 8 bytes, in
 * less than 1000 mappings, and as many again after it freed them.
 */
#include "limit.h"

#define OBJECTS 100000u

int main(void)
{
	struct rlimit limit;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more");
	CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
	CHECK_EQ(limit.rlim_cur, 100000 * 1024);
	if (OBJECTS * 8 * (percpu_nr_slots() + 2) > limit.rlim_cur / 2)
		SKIP("too many CPUs for this limit");
	pool.size = 8;
	for (int round = 0; round < 2; round++) {
		CHECK(!pool_fill(OBJECTS));
		printf("%u mappings\n", mappings_now());
		CHECK(mappings_now() < 1000);
		pool_check();
		pool_free(1);
	}
	return TEST_PASS;
}

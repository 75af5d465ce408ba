/* SPDX-License-Identifier: MIT */
/*
 * Trimming gives the magazine of a CPU that is off line to the backing, and
 * leaves those of others. Here the second CPU only says that it is.
 */
#include "backing.h"
#include "cpus.h"

int main(void)
{
	static struct backing backing = { .ids = IDS };
	struct percpu_cache_attr attr = { 0, 0, backing_alloc, backing_free,
					  &backing };
	struct percpu_cache *c = percpu_cache_create(&attr);
	uint64_t id[200];

	CHECK(c != NULL);
	if (percpu_cpu_online(allowed_cpu(1)) ||
	    !percpu_cpu_online(allowed_cpu(0)))
		SKIP("the second CPU is on line");
	for (unsigned i = 0; i < 200; i++)
		CHECK(backing_alloc(&backing, &id[i]) == 0);
	go_to(allowed_cpu(1));
	for (unsigned i = 0; i < 150; i++)
		CHECK(percpu_cache_put(c, id[i]) == 0);
	go_to(allowed_cpu(0));
	for (unsigned i = 150; i < 200; i++)
		CHECK(percpu_cache_put(c, id[i]) == 0);
	if (has_magazines(c)) {
		/* Of 150 the depot keeps a batch. */
		CHECK_EQ(percpu_cache_trim(c), 150 - 127);
		CHECK_EQ(stats_of(c).magazines, 50);
	}
	percpu_cache_destroy(c);
	CHECK_EQ(backing.out, 0);
	return TEST_PASS;
}

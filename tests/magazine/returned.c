/* SPDX-License-Identifier: MIT */
/*
 * A backing that puts an item back into the cache which gives it, the first
 * time, while the cache is drained, or destroyed: the end gives all the same
 * every item that there was, from all magazines and the depot.
 */
#include "cpus.h"

enum { EACH = 300 }; /* items put on each of two CPUs */

struct given {
	struct percpu_cache *c;
	unsigned times[2 * EACH];
	unsigned all;
};

static void put_back(void *arg, uint64_t item)
{
	struct given *g = arg;

	CHECK(item < 2 * EACH);
	CHECK(g->times[item] < 2);
	g->all++;
	if (g->times[item]++ == 0)
		CHECK(percpu_cache_put(g->c, item) == 0);
}

static void put_range(struct percpu_cache *c, uint64_t from)
{
	for (uint64_t i = from; i < from + EACH; i++)
		CHECK(percpu_cache_put(c, i) == 0);
}

static void check(bool drain)
{
	static const struct given none = { .all = 0 };
	static struct given g;
	struct percpu_cache_attr attr = { .free = put_back, .arg = &g };

	g = none;
	g.c = percpu_cache_create(&attr);
	CHECK(g.c != NULL);
	go_to(allowed_cpu(1));
	put_range(g.c, 0);
	go_to(allowed_cpu(0));
	put_range(g.c, EACH);
	CHECK_EQ(stats_of(g.c).depot + stats_of(g.c).magazines, 2 * EACH);
	if (drain)
		CHECK(percpu_cache_drain(g.c) <= 2 * EACH);
	percpu_cache_destroy(g.c);
	CHECK_EQ(g.all, 4 * EACH);
}

int main(void)
{
	check(false);
	check(true);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * A get that finds no item here, none in the depot and none with the backing
 * gets the one that lies in another CPU's magazine.
 */
#include "backing.h"
#include "cpus.h"

static void check(size_t max_items, uint64_t items, bool backed)
{
	struct backing none = { .ids = 0 };
	struct percpu_cache_attr attr = { .max_items = max_items };
	struct percpu_cache *c;
	uint64_t sum = 0;
	uint64_t id;

	attr.arg = &none;
	attr.alloc = backed ? backing_alloc : NULL;
	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	go_to(allowed_cpu(1));
	for (uint64_t i = 0; i < items; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	go_to(allowed_cpu(0));
	for (uint64_t i = 0; i < items; i++) {
		CHECK(percpu_cache_get(c, &id) == 0);
		sum += id;
	}
	CHECK_EQ(sum, items * (items - 1) / 2);
	CHECK(percpu_cache_get(c, &id) == -ENOENT);
	CHECK(stats_of(c).steals <= 1);
	percpu_cache_destroy(c);
}

int main(void)
{
	check(0, 1, false);
	check(0, 1, true);
	check(0, 200, true);
	check(0, 1000, false);
	check(100, 100, true);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * percpu_cache_get_limit() gets an id that is low enough, from wherever it is,
 * and all others stay: in this CPU's magazine, the depot, another magazine.
 */
#include "backing.h"
#include "cpus.h"

enum { LOW = 1000 };

static void put_range(struct percpu_cache *c, uint64_t from, uint64_t n)
{
	for (uint64_t i = from; i < from + n; i++)
		CHECK(percpu_cache_put(c, i) == 0);
}

/* Get @n ids below LOW, no more, and then all the @rest. */
static void check_low(struct percpu_cache *c, uint64_t n, uint64_t rest)
{
	uint64_t got = 5;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++) {
		/* The largest is the limit itself. */
		CHECK(percpu_cache_get_limit(c, n - 1, &got) == 0);
		CHECK(got < n);
		sum += got;
	}
	CHECK_EQ(sum, n * (n - 1) / 2);
	got = 5;
	CHECK(percpu_cache_get_limit(c, LOW - 1, &got) == -ENOENT);
	CHECK_EQ(got, 5);
	CHECK_EQ(stats_of(c).depot + stats_of(c).magazines, rest);
	for (uint64_t i = 0; i < rest; i++) {
		CHECK(percpu_cache_get(c, &got) == 0);
		CHECK(got >= LOW);
	}
	CHECK(percpu_cache_get(c, &got) == -ENOENT);
}

/* @n low ids beneath @above others, all put on this CPU. */
static void check_beneath(struct percpu_cache *c, uint64_t n, uint64_t above)
{
	put_range(c, 0, n);
	put_range(c, LOW, above);
	check_low(c, n, above);
}

/* Those of this CPU's magazine that are looked at go back to it. */
static void check_stay(struct percpu_cache *c)
{
	uint64_t got;

	put_range(c, 0, 1);
	put_range(c, LOW, 100);
	CHECK(percpu_cache_get_limit(c, 0, &got) == 0);
	CHECK_EQ(got, 0);
	if (has_magazines(c)) {
		CHECK_EQ(stats_of(c).magazines, 100);
		CHECK_EQ(stats_of(c).depot, 0);
	}
	for (unsigned i = 0; i < 100; i++)
		CHECK(percpu_cache_get(c, &got) == 0);
}

/* An item is 64 bits, and so is the limit. */
static void check_wide(struct percpu_cache *c)
{
	const uint64_t wide = 1ull << 32;
	uint64_t got;

	for (unsigned i = 0; i < 600; i++)
		CHECK(percpu_cache_put(c, wide + 1 + i) == 0);
	CHECK(percpu_cache_get_limit(c, 600, &got) == -ENOENT);
	CHECK(percpu_cache_get_limit(c, wide, &got) == -ENOENT);
	for (unsigned i = 0; i < 600; i++) {
		CHECK(percpu_cache_get_limit(c, wide + 600, &got) == 0);
		CHECK(got > wide && got <= wide + 600);
	}
}

/* After one came from another magazine, puts go to this CPU's again. */
static void check_open(struct percpu_cache *c, unsigned here)
{
	struct percpu_cache_stats had;
	uint64_t got;

	go_to(allowed_cpu(1));
	put_range(c, 0, 3);
	go_to(here);
	CHECK(percpu_cache_get_limit(c, 2, &got) == 0);
	had = stats_of(c);
	CHECK(percpu_cache_put(c, got) == 0);
	if (has_magazines(c))
		CHECK_EQ(stats_of(c).magazines, had.magazines + 1);
	for (unsigned i = 0; i < 3; i++)
		CHECK(percpu_cache_get(c, &got) == 0);
}

/* A depot that is full has no room to look through a magazine by. */
static void check_full(struct percpu_cache *c)
{
	uint64_t got;
	uint64_t n = 0;

	while (percpu_cache_put(c, n) == 0)
		n++;
	CHECK(percpu_cache_get_limit(c, 0, &got) == 0 && got == 0);
	CHECK(percpu_cache_get_limit(c, 0, &got) == -ENOENT);
	CHECK(stats_of(c).depot <= stats_of(c).max_items);
	while (n-- > 1)
		CHECK(percpu_cache_get(c, &got) == 0 && got != 0);
	CHECK(percpu_cache_get(c, &got) == -ENOENT);
}

int main(void)
{
	struct percpu_cache_attr attr = { .max_items = 4096 };
	struct percpu_cache *c = percpu_cache_create(&attr);
	unsigned here = allowed_cpu(0);

	CHECK(c != NULL);
	go_to(here);
	check_beneath(c, 1, 0);
	check_beneath(c, 3, 200);
	check_beneath(c, 100, 600);
	go_to(allowed_cpu(1));
	put_range(c, 0, 40);
	put_range(c, LOW, 40);
	go_to(here);
	check_low(c, 40, 40);
	check_stay(c);
	check_wide(c);
	check_open(c, here);
	check_full(c);
	percpu_cache_destroy(c);
	return TEST_PASS;
}

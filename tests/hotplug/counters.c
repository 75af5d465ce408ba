/* SPDX-License-Identifier: MIT */
/*
 * Memory of a gone CPU under live counters goes back to the system; their sums
 * are what they were, reads stay within the bound, and the CPU counts on when
 * it is back.
 */
#include "cpus.h"
#include "retires.h"

enum { GROUPS = 4, EACH = 25000, ALONE = 100 };

static struct percpu_counter many[GROUPS][EACH];
static struct percpu_counter alone[ALONE];
static int64_t want[GROUPS][EACH];
static int64_t added;

/* Some carry, some only now and then, some never. */
static int64_t amount(unsigned i)
{
	return (int64_t)(i % 7 * 9) - 20;
}

static void add_all(void)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned i = 0; i < EACH; i++) {
			percpu_counter_add(&many[g][i], amount(g + i));
			want[g][i] += amount(g + i);
		}
	for (unsigned i = 0; i < ALONE; i++)
		percpu_counter_inc(&alone[i]);
	added++;
}

static void check(const struct percpu_counter *c, int64_t v)
{
	int64_t off = percpu_counter_read(c) - v;

	CHECK_EQ(percpu_counter_sum(c), v);
	CHECK((off < 0 ? -off : off) <= percpu_counter_error_bound(c));
}

static void check_all(void)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned i = 0; i < EACH; i++)
			check(&many[g][i], want[g][i]);
	for (unsigned i = 0; i < ALONE; i++)
		check(&alone[i], added);
}

static void on_both(unsigned stays, unsigned left)
{
	go_to(left);
	add_all();
	add_all();
	go_to(stays);
	add_all();
}

static void start(void)
{
	for (unsigned g = 0; g < GROUPS; g++)
		CHECK(percpu_counter_init_many(many[g], 0, EACH) == 0);
	for (unsigned i = 0; i < ALONE; i++)
		CHECK(percpu_counter_init(&alone[i], 0) == 0);
}

static void end(void)
{
	struct percpu_alloc_stats left;

	for (unsigned g = 0; g < GROUPS; g++)
		percpu_counter_destroy_many(many[g], EACH);
	for (unsigned i = 0; i < ALONE; i++)
		percpu_counter_destroy(&alone[i]);
	percpu_alloc_stats(&left);
	CHECK_EQ(left.live, 0);
}

int main(void)
{
	unsigned stays = allowed_cpu(0);
	unsigned left = allowed_cpu(1);
	size_t had;

	start();
	for (unsigned round = 0; round < 2; round++) {
		on_both(stays, left);
		had = percpu_alloc_populated(left);
		CHECK(percpu_cpus_refresh() == 0);
		if (retires_counters()) {
			CHECK(had >= GROUPS * EACH * 24);
			CHECK(percpu_alloc_populated(left) <= had / 8);
		}
		check_all();
		go_to(left);
		CHECK(percpu_cpus_refresh() == 0);
		check_all();
	}
	end();
	return TEST_PASS;
}

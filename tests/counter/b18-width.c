/* SPDX-License-Identifier: MIT */
/*
 * b18-width.c: cache2k/cache2k#16, lkml.org/lkml/2011/5/11/15: a cell of 32 bits
 * ends at 2^31. Here a counter passes 2^32, takes 2^40 and INT64_MIN at once,
 * and wraps modulo 2^64; static or with its per-CPU part.
 */
#include "check.h"

#include <percpu/percpu.h>

static struct percpu_counter counter;

static void check(uint64_t sum)
{
	uint64_t off = (uint64_t)percpu_counter_read(&counter) - sum;
	uint64_t bound = (uint64_t)percpu_counter_error_bound(&counter);

	CHECK(off + bound <= 2 * bound);
	CHECK_EQ(percpu_counter_sum(&counter), sum);
}

static void check_widths(void)
{
	uint64_t sum = (1ull << 32) - 5;

	percpu_counter_set(&counter, (int64_t)sum);
	percpu_counter_add(&counter, 10);
	check(sum += 10);
	percpu_counter_add_batch(&counter, 1ll << 40, 32);
	check(sum += 1ull << 40);
	percpu_counter_sub(&counter, 5ll << 39);
	check(sum -= 5ull << 39);
	percpu_counter_add(&counter, -(5ll << 39) - 7);
	check(sum -= (5ull << 39) + 7);
	CHECK_EQ(percpu_counter_exchange(&counter, -(7ll << 41)), sum);
	check(sum = 0 - (7ull << 41));
	CHECK_EQ(percpu_counter_exchange(&counter, 3ll << 33), sum);
	check(sum = 3ull << 33);
	percpu_counter_add(&counter, INT64_MAX / 2);
	percpu_counter_add(&counter, INT64_MAX / 2);
	check(sum += INT64_MAX / 2 * 2);
	percpu_counter_add(&counter, INT64_MIN);
	check(sum += 1ull << 63);
	percpu_counter_add(&counter, INT64_MAX);
	check(sum += INT64_MAX);
	percpu_counter_add(&counter, 1 - (1ll << 62));
	percpu_counter_add(&counter, 1 - (1ll << 62));
	check(sum += 2 - (1ull << 63));
	percpu_counter_sub(&counter, INT64_MIN);
	check(sum += 1ull << 63);
	percpu_counter_add_batch(&counter, -(3ll << 31), INT32_MAX);
	check(sum -= 3ull << 31);
	percpu_counter_add_batch(&counter, (1ll << 32) + 1, INT32_MAX);
	check(sum += (1ull << 32) + 1);
	for (int i = 0; i < 10; i++)
		percpu_counter_add_batch(&counter, INT32_MAX - 1, INT32_MAX);
	check(sum += 10 * (uint64_t)(INT32_MAX - 1));
	percpu_counter_set(&counter, INT64_MAX);
	percpu_counter_inc(&counter);
	check(1ull << 63);
	CHECK(percpu_counter_sum(&counter) == INT64_MIN);
}

int main(void)
{
	check_widths();
	CHECK(percpu_counter_init(&counter, 0) == 0);
	check_widths();
	percpu_counter_destroy(&counter);
	return TEST_PASS;
}

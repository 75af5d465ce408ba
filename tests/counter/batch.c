/* SPDX-License-Identifier: MIT */
/*
 * batch.c: on one CPU a read stays until a slot is a batch away, and is exact
 * then; what is as large as a batch, it shows at once; a larger batch makes the
 * bound larger, never smaller; a sum is exact throughout.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>

static struct percpu_counter counter;
static bool shared; /* no slot is used */

static void check(int64_t read, int64_t sum)
{
	CHECK_EQ(percpu_counter_sum(&counter), sum);
	CHECK_EQ(percpu_counter_read(&counter), shared ? sum : read);
}

static void check_default(void)
{
	int64_t batch = percpu_counter_batch;

	for (int64_t i = 1; i < batch; i++) {
		percpu_counter_inc(&counter);
		check(0, i);
	}
	percpu_counter_inc(&counter);
	check(batch, batch);
	for (int64_t i = 1; i < batch; i++) {
		percpu_counter_dec(&counter);
		check(batch, batch - i);
	}
	percpu_counter_dec(&counter);
	check(0, 0);
}

static void check_large(void)
{
	percpu_counter_add(&counter, 5);
	check(0, 5);
	percpu_counter_add(&counter, 1000);
	check(1005, 1005);
	percpu_counter_sub(&counter, 1000);
	check(5, 5);
	percpu_counter_sub(&counter, 3);
	check(5, 2);
	percpu_counter_sync(&counter);
	check(2, 2);
	percpu_counter_add_batch(&counter, -2, 1);
	check(0, 0);
	percpu_counter_add_batch(&counter, 1, -7);
	check(1, 1);
	percpu_counter_sub(&counter, 1);
	check(1, 0);
}

static void check_bound(void)
{
	int64_t slots = percpu_nr_slots();
	int64_t bound = percpu_counter_error_bound(&counter);

	CHECK_EQ(bound, 2 * (percpu_counter_batch - 1) * slots);
	percpu_counter_add_batch(&counter, 1, 2);
	CHECK_EQ(percpu_counter_error_bound(&counter), bound);
	percpu_counter_set(&counter, 0);
	check(0, 0);
	percpu_counter_add_batch(&counter, 1 << 20, INT32_MAX);
	check(0, 1 << 20);
	CHECK_EQ(percpu_counter_error_bound(&counter),
		 2 * (int64_t)(INT32_MAX - 1) * slots);
	percpu_counter_inc(&counter);
	check((1 << 20) + 1, (1 << 20) + 1);
}

int main(void)
{
	crowd_pin(pthread_self(), 0);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	shared = percpu_backend(NULL) == PERCPU_MODE_SHARED;
	check_default();
	check_large();
	check_bound();
	percpu_counter_destroy(&counter);
	return TEST_PASS;
}

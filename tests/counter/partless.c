/* SPDX-License-Identifier: MIT */
/*
 * partless.c: where memory is short, a counter does all without a per-CPU part,
 * exchange and limited_add of many threads as well, and gets one when there is
 * memory again: then nothing is lost.
 */
#include "check.h"
#include "crowd.h"
#include "no_memory.h"

#include <percpu/percpu.h>

#include <errno.h>

#define LIMIT 30

static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(2);
static int64_t taken;

static void check_one(struct percpu_counter *c)
{
	CHECK_EQ(percpu_counter_exchange(c, 5), 2);
	percpu_counter_add(c, 10);
	percpu_counter_sync(c);
	CHECK_EQ(percpu_counter_read(c), 15);
	CHECK_EQ(percpu_counter_sum(c), 15);
	CHECK_EQ(percpu_counter_error_bound(c), 0);
	CHECK(percpu_counter_limited_add(c, 17, 2));
	CHECK(!percpu_counter_limited_add(c, 17, 1));
	CHECK(!percpu_counter_limited_add(c, 16, -2));
	CHECK(percpu_counter_limited_add(c, 15, -2));
	CHECK(percpu_counter_compare(c, 15) == 0);
	percpu_counter_add(c, 5ll << 40);
	percpu_counter_sub(c, 3ll << 40);
	CHECK_EQ(percpu_counter_exchange(c, 0), (2ll << 40) + 15);
	percpu_counter_set(c, INT64_MAX);
	CHECK(!percpu_counter_limited_add(c, INT64_MAX, 1));
	percpu_counter_set(c, 2);
}

static void step(struct crowd_member *me)
{
	int64_t was;

	if (percpu_counter_limited_add(&counter, LIMIT, 3))
		me->added += 3;
	if (me->steps % 16 != 0)
		return;
	was = percpu_counter_exchange(&counter, 0);
	CHECK(was >= 0 && was <= LIMIT);
	__atomic_fetch_add(&taken, was, __ATOMIC_RELAXED);
}

static void check_threads(void)
{
	static struct crowd c = { .step = step, .steps = 30000 };

	percpu_counter_set(&counter, 0);
	crowd_run(&c);
	CHECK_EQ(percpu_counter_sum(&counter) + taken, crowd_added(&c));
	percpu_counter_set(&counter, 2);
}

static void check_part(struct percpu_counter *c)
{
	percpu_counter_sync(c);
	percpu_counter_inc(c);
	CHECK(percpu_counter_error_bound(c) != 0);
	CHECK_EQ(percpu_counter_exchange(c, 2), 3);
}

int main(void)
{
	struct percpu_counter many[2];

	CHECK_EQ(percpu_counter_init_many(many, 2, 2), -ENOMEM);
	check_one(&counter);
	check_one(&many[1]);
	check_threads();
	memory_is_there = true;
	check_part(&counter);
	check_part(&many[1]);
	percpu_counter_destroy_many(many, 2);
	percpu_counter_destroy(&counter);
	return TEST_PASS;
}

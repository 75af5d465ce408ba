/* SPDX-License-Identifier: MIT */
/*
 * limit-threads.c: threads that take up to a limit by limited_add, and give
 * back by plain subs, are never seen above it, and never have more than it
 * together; also of a static counter that gets its per-CPU part meanwhile.
 */
#include "limited.h"

#include <sched.h>

#define LIMIT 3

static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(0);
static int64_t held;
static unsigned refused;

/* held goes up after the counter and down before it. */
static void step(struct crowd_member *me)
{
	int64_t v = 1 + (int64_t)(crowd_random(me) % 3);

	if (!percpu_counter_limited_add(&counter, LIMIT, v)) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		return;
	}
	CHECK(__atomic_add_fetch(&held, v, __ATOMIC_SEQ_CST) <= LIMIT);
	if (me->steps % 16 == 0)
		percpu_counter_sync(&counter);
	if (me->steps % 8 == 0)
		sched_yield(); /* for others to meet the limit */
	__atomic_fetch_sub(&held, v, __ATOMIC_SEQ_CST);
	percpu_counter_sub(&counter, v);
}

static void check_filled(void)
{
	fill_up(LIMIT * 1000);
	CHECK_EQ(percpu_counter_sum(&counter), LIMIT * 1000);
}

int main(void)
{
	static struct crowd c = { .step = step, .steps = 100000 };

	check_filled();
	percpu_counter_destroy(&counter);
	crowd_run(&c);
	CHECK_EQ(percpu_counter_sum(&counter), 0);
	printf("%u refused\n", refused);
	CHECK(refused != 0);
	percpu_counter_destroy(&counter);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	check_filled();
	return TEST_PASS;
}

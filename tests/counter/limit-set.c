/* SPDX-License-Identifier: MIT */
/*
 * limit-set.c: threads take up to a limit by limited_add, while others set the
 * counter to the limit and to zero: no answer of exchange is above it. Also of
 * a static counter.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>

#define LIMIT 3

static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(0);

static void step(struct crowd_member *me)
{
	int64_t v = crowd_random(me) % 2 == 0 ? LIMIT : 0;

	CHECK(percpu_counter_exchange(&counter, v) <= LIMIT);
	for (unsigned i = 0; i < 4; i++)
		percpu_counter_limited_add(&counter, LIMIT, 1);
}

static void run(void)
{
	static struct crowd c = { .step = step, .steps = 50000 };

	for (unsigned k = 0; k < CROWD; k++)
		c.member[k] = (struct crowd_member){ 0 };
	crowd_run(&c);
	CHECK(percpu_counter_exchange(&counter, 0) <= LIMIT);
	CHECK_EQ(percpu_counter_sum(&counter), 0);
}

int main(void)
{
#ifdef __SANITIZE_THREAD__
	/* Of counters alone: first uses of the allocator store the same twice. */
	percpu_free(percpu_new(uint64_t));
#endif
	run();
	percpu_counter_destroy(&counter);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	run();
	percpu_counter_destroy(&counter);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * b17-reset.c: kamon-io/Kamon#393, DataDog/dd-trace-java#12351: to read and
 * then to reset loses what comes in between. Here threads count while some of
 * them exchange the counter for 0: no answer is below zero, and the answers and
 * the rest are what was counted.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>

static struct percpu_counter counter;
static int64_t taken;

static void reset(void)
{
	int64_t was = percpu_counter_exchange(&counter, 0);

	CHECK(was >= 0);
	__atomic_fetch_add(&taken, was, __ATOMIC_RELAXED);
}

static void step(struct crowd_member *me)
{
	percpu_counter_add_batch(&counter, 3, 8);
	me->added += 3;
	if (me->steps % 16 == 0)
		reset();
}

static void handler(struct crowd_member *me)
{
	percpu_counter_add(&counter, 100);
	me->added_in_handler += 100;
	reset();
}

int main(void)
{
	static struct crowd c = { .step = step,
				  .handler = handler,
				  .steps = 300000 };

	CHECK(percpu_counter_init(&counter, 0) == 0);
	crowd_run(&c);
	reset();
	CHECK_EQ(percpu_counter_sum(&counter), 0);
	CHECK_EQ(taken, crowd_added(&c));
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * static.c: a static counter counts without any init, before there is memory
 * and in a signal handler; it gets its per-CPU part from sync, a read or a sum,
 * or in an add of a handler from what others have left at hand; nothing is lost
 * at the change, and sums never go back.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>
#include <signal.h>

static struct percpu_counter first = PERCPU_COUNTER_INITIALIZER(5);
static struct percpu_counter zero;
static struct percpu_counter looked = PERCPU_COUNTER_INITIALIZER(0);
static struct percpu_counter summed = PERCPU_COUNTER_INITIALIZER(0);
static struct percpu_counter busy = PERCPU_COUNTER_INITIALIZER(-3);

static void __attribute__((constructor)) before_main(void)
{
	percpu_counter_add(&first, 10);
}

static void on_signal(int sig)
{
	(void)sig;
	percpu_counter_inc(&zero);
}

static size_t chunks(void)
{
	struct percpu_alloc_stats stats = { 0 };

	percpu_alloc_stats(&stats);
	return stats.chunks;
}

static void check_without(void)
{
	percpu_counter_sub(&first, 5);
	percpu_counter_add(&looked, 7);
	percpu_counter_add(&summed, 8);
	raise(SIGUSR1);
	CHECK_EQ(percpu_counter_error_bound(&zero), 0);
	CHECK_EQ(chunks(), 0);
}

static void check_looked_at(void)
{
	CHECK_EQ(percpu_counter_read(&looked), 7);
	CHECK_EQ(percpu_counter_sum(&summed), 8);
	percpu_counter_inc(&looked);
	percpu_counter_inc(&summed);
	CHECK(percpu_counter_error_bound(&looked) != 0);
	CHECK(percpu_counter_error_bound(&summed) != 0);
	CHECK_EQ(percpu_counter_sum(&looked), 8);
	CHECK_EQ(percpu_counter_sum(&summed), 9);
}

/* sync gives one to first, and leaves some at hand for zero. */
static void check_with(void)
{
	percpu_counter_sync(&first);
	percpu_counter_inc(&first);
	CHECK(percpu_counter_error_bound(&first) != 0);
	CHECK_EQ(percpu_counter_sum(&first), 11);
	raise(SIGUSR1);
	CHECK(percpu_counter_error_bound(&zero) != 0);
	raise(SIGUSR1);
	CHECK_EQ(percpu_counter_sum(&zero), 3);
}

static void step(struct crowd_member *me)
{
	percpu_counter_inc(&busy);
	me->added++;
	if (me->steps % 64 != 0)
		return;
	if (me->steps == 640)
		percpu_counter_sync(&busy);
	CHECK(percpu_counter_sum(&busy) >= me->added - 3);
}

static void handler(struct crowd_member *me)
{
	percpu_counter_add(&busy, 2);
	me->added_in_handler += 2;
}

int main(void)
{
	static struct crowd c = { .step = step,
				  .handler = handler,
				  .steps = 3000 };
	struct percpu_counter other;

	CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
	check_without();
	check_with();
	check_looked_at();
	CHECK(percpu_counter_init(&other, 0) == 0);
	for (unsigned i = 0; i < 20; i++) {
		percpu_counter_destroy(&busy);
		percpu_counter_set(&busy, -3);
		crowd_run(&c);
		CHECK_EQ(percpu_counter_sum(&busy), -3 + crowd_added(&c));
		for (unsigned k = 0; k < CROWD; k++)
			c.member[k] = (struct crowd_member){ 0 };
	}
	percpu_counter_destroy(&other);
	return TEST_PASS;
}

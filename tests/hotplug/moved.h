/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_MOVED_H
#define TESTS_HOTPLUG_MOVED_H
/*
 * moved.h: one instruction after the other of a slot's move. The file that
 * includes this says what is done at each: stepped_do(), and before each step:
 * moved_step(). Sections are left out: the trap after each instruction would
 * abort them.
 */
#include "stepped.h"
#include "steps.h"

enum { MOVED_FIRST = 101, MOVED_LAST = 105 };

static bool moved_on;

static void moved_step(enum retire_step step);

static void retire_hook(enum retire_step step)
{
	unsigned n = retire_count[RETIRE_CLAIM];

	moved_step(step);
	if (step == RETIRE_CLAIM && moved_on) {
		stepped_stop();
		moved_on = false;
	}
	if (step == RETIRE_CLAIMED && n >= MOVED_FIRST && n < MOVED_LAST) {
		moved_on = true;
		stepped_start();
	}
}

/* Those around which the move is. */
static inline void moved_check(void)
{
	for (unsigned i = 0; i < 2 * MOVED_LAST; i++)
		CHECK_EQ(percpu_counter_sum(&retire_c[i]), retire_want[i]);
}

#endif

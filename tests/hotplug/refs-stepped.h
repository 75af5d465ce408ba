/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_REFS_STEPPED_H
#define TESTS_HOTPLUG_REFS_STEPPED_H
/*
 * refs-stepped.h: one instruction after the other of some references' mark, of
 * their move, and of what opens them again. The file that includes this says
 * what is done at each: stepped_do(), and before each step: stepped_step().
 */
#include "refs.h"
#include "stepped.h"

/* By the owners that are asked for since the last fence. */
enum { STEPPED_FIRST = 1001, STEPPED_END = 1003 };

/* Around the references that these are, for each of which two or one. */
enum { NEAR_FIRST = 400, NEAR_END = 1300 };

static unsigned stepped_since;
static bool stepped_on;
static bool stepped_never; /* again */

static void stepped_step(enum refs_step step);

static void refs_hook(enum refs_step step)
{
	if (stepped_on) {
		stepped_stop();
		stepped_on = false;
	}
	if (stepped_never)
		return;
	if (step != REFS_OWNER) {
		stepped_since = 0;
		stepped_step(step);
		return;
	}
	stepped_since++;
	if (stepped_since < STEPPED_FIRST || stepped_since >= STEPPED_END)
		return;
	stepped_on = true;
	stepped_start();
}

#endif

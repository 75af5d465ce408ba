/* SPDX-License-Identifier: MIT */
/*
 * At each instruction of the move of a slot a sum is exact, a read within the
 * bound, and an add counts, in a handler on top of it too.
 */
#include "moved.h"

static unsigned steps;

static bool stepped_do(void)
{
	bool armed = retire_armed;

	retire_armed = false;
	steps++;
	moved_check();
	retire_check();
	for (unsigned i = 0; i < 2 * MOVED_LAST; i++)
		retire_add(i, steps % 2 == 0 ? 29 : -31);
	moved_check();
	retire_armed = armed;
	return true;
}

static void moved_step(enum retire_step step)
{
	(void)step;
}

int main(void)
{
	retire_start();
	stepped_prepare();
	retire_refresh();
	retire_check();
	CHECK(steps > 50 || !retires_counters());
	retire_end();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * At each instruction by which references are marked, moved and opened again
 * all is counted once, and a handler on top of it gets and puts them.
 */
#include "refs-stepped.h"

static unsigned steps;

static bool stepped_do(void)
{
	bool armed = refs_armed;

	refs_armed = false;
	steps++;
	for (unsigned i = NEAR_FIRST; i < NEAR_END; i++) {
		CHECK_EQ(refs_now(i), refs_want[i]);
		CHECK(percpu_ref_tryget_live(&refs[i]));
		refs_want[i]++;
		refs_get(i, 2);
		refs_put(i, 3);
		CHECK_EQ(refs_now(i), refs_want[i]);
	}
	refs_armed = armed;
	return true;
}

static void stepped_step(enum refs_step step)
{
	(void)step;
	refs_check();
}

int main(void)
{
	refs_start();
	stepped_prepare();
	refs_refresh();
	CHECK(steps > 100 || !refs_can());
	refs_check();
	refs_check_modes(refs_are_percpu());
	refs_end();
	return TEST_PASS;
}

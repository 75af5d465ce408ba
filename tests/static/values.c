/* SPDX-License-Identifier: MIT */
/*
 * Conformance 34, 35: every unit starts as the initialiser says, before main()
 * and before constructors without a priority; a write to one stays there. 37:
 * so it is when another file or a shared library defines the variable.
 */
#include "values.h"

static unsigned seen;
static PERCPU_DEFINE(int32_t, mine) = 12;

static void __attribute__((constructor)) before_main(void)
{
	check_units();
	check_shared();
	seen++;
}

/* "static" makes a variable this file's alone. */
static void check_own(void)
{
	CHECK(plain_of_variables() == percpu_var(plain));
	CHECK(mine_of_variables() != percpu_var(mine));
	CHECK_EQ(*percpu_ptr(mine_of_variables(), 0), 11);
	CHECK_EQ(*percpu_ptr(percpu_var(mine), 0), 12);
}

static void check_apart(void)
{
	unsigned slots = percpu__rt.nr_slots;

	for (unsigned i = 0; i <= slots; i++)
		*percpu_ptr(percpu_var(plain), i) = 100 + i;
	for (unsigned i = 0; i <= slots; i++)
		CHECK_EQ(*percpu_ptr(percpu_var(plain), i), 100 + i);
	*percpu_ptr(percpu_var(minus), 0) = 9;
	for (unsigned i = 1; i < slots; i++)
		CHECK(*percpu_ptr(percpu_var(minus), i) == -5);
}

int main(void)
{
	CHECK_EQ(seen, 1);
	check_units();
	check_shared();
	check_own();
	check_apart();
	percpu_add(&percpu_var(limits)->high, 2);
	CHECK_EQ(percpu_sum(&percpu_var(limits)->high),
		 70000 * percpu__rt.nr_slots + 2);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Conformance 34: a variable may be used before its own constructor, in one of
 * priority 101 and in those of a library that the program links: then and later
 * it is the same. percpu_setup() works there.
 */
#include "check.h"
#include "late.h"

#include <percpu/percpu.h>

PERCPU_DEFINE(uint32_t, lent) = 3;
static PERCPU_DEFINE(uint64_t, own);

static uint64_t PERCPU *first_handle;

static void __attribute__((constructor(101))) first(void)
{
	const struct percpu_options atomic = { sizeof(atomic),
					       PERCPU_POLICY_ATOMIC,
					       PERCPU_INDEX_CPU };

	if (late_setup)
		CHECK(percpu_setup(&atomic) == 0);
	first_handle = percpu_var(own);
	CHECK(first_handle != NULL);
	percpu_inc(percpu_var(own));
}

int main(void)
{
	CHECK(percpu_var(own) == first_handle);
	CHECK_EQ(percpu_sum(percpu_var(own)), 1);
	CHECK(late_handle == NULL || late_handle == percpu_var(lent));
	CHECK_EQ(percpu_sum(percpu_var(lent)),
		 3 * percpu_nr_slots() + (late_handle != NULL));
	if (late_setup)
		CHECK(percpu_backend(NULL) == PERCPU_MODE_ATOMIC);
	return TEST_PASS;
}

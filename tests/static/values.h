/* SPDX-License-Identifier: MIT */
#ifndef TESTS_STATIC_VALUES_H
#define TESTS_STATIC_VALUES_H
/*
 * values.h: checks, in C and in C++, of the variables of variables.h.
 */
#include "check.h"
#include "variables.h"

#include <string.h>

static inline void check_units(void)
{
	for (unsigned i = 0; i < percpu__rt.nr_slots; i++) {
		const struct limits *l = percpu_ptr(percpu_var(limits), i);

		CHECK_EQ(*percpu_ptr(percpu_var(plain), i), 0);
		CHECK(*percpu_ptr(percpu_var(minus), i) == -5);
		CHECK(l->low == 3 && l->high == 70000);
		CHECK(strcmp(l->name, "limits") == 0);
		for (unsigned k = 0; k < 5; k++)
			CHECK_EQ((*percpu_ptr(percpu_var(row), i))[k], k + 1);
		CHECK_EQ(*percpu_ptr(percpu_var(alone), i), 'a');
	}
}

static inline void check_shared(void)
{
	CHECK_EQ(*percpu_shared_ptr(percpu_var(minus)), 0);
	CHECK_EQ(percpu_shared_ptr(percpu_var(limits))->high, 0);
	CHECK_EQ((*percpu_shared_ptr(percpu_var(row)))[4], 0);
	CHECK_EQ(*percpu_shared_ptr(percpu_var(alone)), 0);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A constructor that runs before those of the variables may end the program:
 * their destructors, which run then all the same, harm nobody.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <unistd.h>

PERCPU_DEFINE(uint64_t, unused);
PERCPU_DEFINE(uint64_t, used) = 5;

static void __attribute__((destructor)) last(void)
{
	/* Of exit(), after handlers: it does not say how it went. */
	if (*percpu_ptr(percpu_var(used), 0) != 5)
		_exit(TEST_FAIL);
}

static void __attribute__((constructor(101))) first(void)
{
	CHECK(*percpu_ptr(percpu_var(used), 0) == 5);
	exit(TEST_PASS);
}

int main(void)
{
	CHECK(percpu_var(unused) != NULL);
	return TEST_FAIL;
}

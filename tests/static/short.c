/* SPDX-License-Identifier: MIT */
/*
 * Where memory is short when a program is loaded, percpu_var() is NULL, and
 * stays so, also when memory is there again: nothing else fails.
 */
#include "check.h"
#include "no_memory.h"

#include <percpu/percpu.h>

#include <errno.h>

static PERCPU_DEFINE(uint64_t, first);
static PERCPU_DEFINE_CACHELINE(uint32_t, second) = 3;

static void check_none(void)
{
	errno = 0;
	CHECK(percpu_var(first) == NULL);
	CHECK_EQ(errno, ENOMEM);
	CHECK(percpu_var(second) == NULL);
}

int main(void)
{
	void PERCPU *h;

	check_none();
	memory_is_there = true;
	check_none();
	h = percpu_alloc(8, 8);
	CHECK(h != NULL);
	percpu_free(h);
	return TEST_PASS;
}

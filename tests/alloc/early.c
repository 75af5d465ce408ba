/* SPDX-License-Identifier: MIT */
/*
 * Conformance 31: handles are had in a constructor that runs before all others,
 * also where the library is part of the program, are good in main() and until
 * the last destructor, which has handles of its own.
 */
#include "slots.h"

#include <unistd.h>

#define OBJECTS 100u

static char PERCPU *h[OBJECTS];
static uint64_t PERCPU *count;
static bool reached_main;

static void use_new(void)
{
	uint64_t PERCPU *mine = percpu_new(uint64_t);

	CHECK(mine != NULL);
	percpu_add(mine, 5);
	CHECK_EQ(percpu_sum(mine), 5);
	percpu_free(mine);
}

static void __attribute__((constructor(101))) first(void)
{
	count = percpu_new(uint64_t);
	CHECK(count != NULL);
	percpu_inc(count);
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = must_alloc(1 + i * 10, 1);
		fill(h[i], 1 + i * 10, (int)i + 1);
	}
	use_new();
}

static void __attribute__((destructor(101))) last(void)
{
	if (!reached_main)
		return;
	percpu_inc(count);
	if (percpu_sum(count) != 3)
		_exit(TEST_FAIL);
	percpu_free(count);
	use_new();
	use_new();
}

int main(void)
{
	reached_main = true;
	percpu_inc(count);
	CHECK_EQ(percpu_sum(count), 2);
	for (unsigned i = 0; i < OBJECTS; i++) {
		CHECK(is_filled(h[i], 1 + i * 10, (int)i + 1));
		percpu_free(h[i]);
	}
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Objects are packed: eight bytes take eight, four take four, one to three
 * take four; an alignment leaves holes that smaller objects fill.
 */
#include "slots.h"

static void check_distance(size_t size, size_t align, size_t want)
{
	char PERCPU *h[64];
	char *first = percpu_ptr(must_alloc(8, 8), 0);

	(void)first;
	for (unsigned i = 0; i < 64; i++)
		h[i] = must_alloc(size, align);
	for (unsigned i = 1; i < 64; i++)
		CHECK_EQ(h[i] - h[i - 1], want);
	for (unsigned i = 0; i < 64; i++)
		percpu_free(h[i]);
}

static void check_holes(void)
{
	char PERCPU *small = must_alloc(4, 4);
	char PERCPU *aligned = must_alloc(4, 4096);
	char PERCPU *filler = must_alloc(4, 4);

	CHECK_EQ(filler - small, 4);
	CHECK(aligned > filler);
	percpu_free(small);
	percpu_free(aligned);
	percpu_free(filler);
}

int main(void)
{
	check_distance(8, 8, 8);
	check_distance(4, 4, 4);
	check_distance(1, 1, 4);
	check_distance(3, 1, 4);
	check_distance(12, 4, 12);
	check_distance(16, 16, 16);
	check_distance(24, 8, 24);
	check_distance(8, 64, 64);
	check_holes();
	return TEST_PASS;
}

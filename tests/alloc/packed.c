/* SPDX-License-Identifier: MIT */
/*
 * Objects are packed: eight bytes take eight, one to four take four, others the
 * next multiple of eight; an alignment leaves holes that smaller objects fill.
 */
#include "slots.h"

static int compare(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a;
	uintptr_t y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

static void check_distance(size_t size, size_t align, size_t want)
{
	uintptr_t h[64];

	for (unsigned i = 0; i < 64; i++)
		h[i] = (uintptr_t)must_alloc(size, align);
	qsort(h, 64, sizeof(*h), compare);
	for (unsigned i = 1; i < 64; i++)
		CHECK_EQ(h[i] - h[i - 1], want);
	for (unsigned i = 0; i < 64; i++)
		percpu_free((void PERCPU *)h[i]);
	percpu_trim();
}

static void check_holes(void)
{
	char PERCPU *small = must_alloc(4, 4);
	char PERCPU *aligned = must_alloc(4, 4096);
	char PERCPU *filler = must_alloc(4, 4);

	CHECK_EQ(filler - small, 4);
	CHECK_EQ((uintptr_t)aligned % 4096, 0);
	percpu_free(small);
	percpu_free(aligned);
	percpu_free(filler);
}

int main(void)
{
	if (!OBJECTS_ARE_PLAIN)
		SKIP("objects have red zones");
	check_distance(8, 8, 8);
	check_distance(4, 4, 4);
	check_distance(1, 1, 4);
	check_distance(3, 1, 4);
	check_distance(12, 4, 16);
	check_distance(40, 4, 40);
	check_distance(16, 16, 16);
	check_distance(24, 8, 24);
	check_distance(8, 64, 64);
	check_holes();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Conformance 12: a pointer into an object, small or large, at its edges, its
 * pages and in its middle, cannot be freed; nor can one into what was freed.
 */
#include "apart.h"

static void check_inside(char PERCPU *h, size_t size, size_t offset)
{
	if (offset > 0 && offset < size)
		check_bad_free(h + offset, "points into an object");
}

static void check_size(size_t size)
{
	char PERCPU *h = must_alloc(size, 1);

	fill(h, size, 7);
	for (size_t offset = 1; offset <= 8; offset++)
		check_inside(h, size, offset);
	check_inside(h, size, 12);
	check_inside(h, size, 16);
	check_inside(h, size, 64);
	check_inside(h, size, size / 2);
	check_inside(h, size, size / 2 & ~(size_t)7);
	check_inside(h, size, 4096);
	check_inside(h, size, size - 1);
	check_inside(h, size, (size - 1) & ~(size_t)3);
	check_inside(h, size, (size - 1) & ~(size_t)7);
	CHECK(is_filled(h, size, 7));
	percpu_free(h);
}

/* Whatever it is called: it is not freed. */
static void check_inside_freed(size_t size)
{
	char PERCPU *h = must_alloc(size, 8);

	percpu_free(h);
	check_bad_free(h + 4, "");
	check_bad_free(h + 8, "");
	check_bad_free(h + size / 2, "");
}

int main(void)
{
	static const size_t sizes[] = {
		2, 4, 8, 12, 16, 24, 64, 104, 256, 1000, 1024, 1100, 4096, 9000
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_size(sizes[i]);
	check_size(percpu_max_size());
	check_inside_freed(16);
	check_inside_freed(1024);
	check_inside_freed(5000);
	return TEST_PASS;
}

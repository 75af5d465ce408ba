/* SPDX-License-Identifier: MIT */
/*
 * percpu_usable_size() is at least what was asked and at most a cell more for
 * small objects; all of it is the caller's. Of what is no object it says so as
 * percpu_free() does, and is 0; it is 0 for NULL.
 */
#include "apart.h"

static void check_size(size_t size)
{
	char PERCPU *before = must_alloc(size, 1);
	char PERCPU *h = must_alloc(size, 1);
	char PERCPU *after = must_alloc(size, 1);
	size_t usable = percpu_usable_size(h);

	CHECK(usable >= size);
	if (size <= 1024)
		CHECK(usable < size + 8);
	CHECK(is_filled(h, usable, 0));
	fill(before, percpu_usable_size(before), 1);
	fill(after, percpu_usable_size(after), 3);
	CHECK(is_filled(h, usable, 0));
	fill(h, usable, 2);
	CHECK(is_filled(before, size, 1) && is_filled(after, size, 3));
	CHECK_EQ(percpu_usable_size(h), usable);
	percpu_free(after);
	percpu_free(h);
	percpu_free(before);
}

static void ask(void *h)
{
	if (percpu_usable_size(h) != 0)
		_exit(TEST_FAIL);
}

int main(void)
{
	char PERCPU *freed = must_alloc(24, 8);
	char PERCPU *h = must_alloc(24, 8);
	int stack;

	for (size_t size = 1; size <= 1200; size++)
		check_size(size);
	check_size(5000);
	check_size(percpu_max_size());
	CHECK_EQ(percpu_usable_size(NULL), 0);
	percpu_free(freed);
	check_misuse(ask, freed, freed, "was freed already");
	check_misuse(ask, h + 4, h + 4, "points into an object");
	check_misuse(ask, h + 8, h + 8, "points into an object");
	check_misuse(ask, &stack, &stack, "is no handle");
	check_misuse(ask, percpu_ptr(h, 0), percpu_ptr(h, 0), "is no handle");
	return TEST_PASS;
}

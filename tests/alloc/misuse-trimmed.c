/* SPDX-License-Identifier: MIT */
/*
 * Frees of what percpu_trim() has given back to the system: an object whose
 * pages went, and one whose whole chunk went, are named like any other.
 */
#include "apart.h"

enum { CHUNKS = 4 };

/* Its chunk stays, for another object's sake. */
static void check_pages_gone(size_t size)
{
	char PERCPU *stays = must_alloc(8, 8);
	char PERCPU *h = must_alloc(size, 8);

	fill(h, size, 1);
	percpu_free(h);
	percpu_trim();
	check_bad_free(h, "was freed already");
	percpu_free(stays);
}

static void check_chunks_gone(void)
{
	char PERCPU *h[CHUNKS];

	for (unsigned i = 0; i < CHUNKS; i++) {
		h[i] = must_alloc(percpu_max_size(), 8);
		fill(h[i], 64, 1);
	}
	for (unsigned i = 0; i < CHUNKS; i++)
		percpu_free(h[i]);
	CHECK(percpu_trim() > 0);
	for (unsigned i = 0; i < CHUNKS; i++) {
		check_bad_free(h[i], "");
		check_bad_free(h[i] + 8, "");
	}
}

int main(void)
{
	check_pages_gone(8);
	check_pages_gone(1024);
	check_pages_gone(20000);
	check_chunks_gone();
	return TEST_PASS;
}

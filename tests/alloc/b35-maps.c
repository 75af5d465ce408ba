/* SPDX-License-Identifier: MIT */
/*
 * B35: 100,000 objects live at once, and as many taken and given in turn, take
 * few mappings, and those go when the objects do.
 */
#include "slots.h"

#include "memory.h"

#define OBJECTS 100000u

static char PERCPU *h[OBJECTS];

int main(void)
{
	unsigned before;
	unsigned peak;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer counts with us");
	percpu_free(must_alloc(8, 8));
	before = mappings();
	for (unsigned i = 0; i < OBJECTS; i++)
		h[i] = must_alloc(8, 8);
	peak = mappings();
	printf("%u mappings, before %u\n", peak, before);
	CHECK(peak < 1000);
	for (unsigned i = 0; i < OBJECTS; i++) {
		percpu_free(h[i]);
		h[i] = must_alloc(1 + i % 16, 1);
	}
	CHECK(mappings() < 1000);
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[OBJECTS - 1 - i]);
	percpu_trim();
	CHECK(mappings() <= before + 2);
	return TEST_PASS;
}

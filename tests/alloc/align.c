/* SPDX-License-Identifier: MIT */
/* Every alignment to a page holds in every slot, whatever was given before. */
#include "slots.h"

#include <unistd.h>

static void check_aligned(char PERCPU *h, size_t align)
{
	char *slot;

	percpu_for_each_slot (slot, h)
		CHECK_EQ((uintptr_t)slot % align, 0);
	CHECK_EQ((uintptr_t)h % align, 0);
}

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (unsigned round = 0; round < 20; round++)
		for (size_t align = 1; align <= page; align *= 2) {
			must_alloc(1 + round % 7, 1);
			check_aligned(must_alloc(1 + round, align), align);
			check_aligned(must_alloc(align, align), align);
		}
	check_aligned((char PERCPU *)percpu_new(max_align_t),
		      _Alignof(max_align_t));
	return TEST_PASS;
}

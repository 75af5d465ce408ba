/* SPDX-License-Identifier: MIT */
/*
 * B35: with 100,000 KiB of address space objects are had until it ends, the
 * end is NULL and ENOMEM, and what is freed then can be had again. Where even
 * one chunk is too large for the limit, the first call says so.
 */
#include "slots.h"

#include "memory.h"

#include <sys/resource.h>

#define OBJECTS 4096u

static char PERCPU *h[OBJECTS];

static unsigned fill_up(size_t size)
{
	unsigned n = 0;

	errno = 0;
	while (n < OBJECTS && (h[n] = percpu_alloc(size, 8)) != NULL)
		n++;
	CHECK(n < OBJECTS);
	CHECK_EQ(errno, ENOMEM);
	return n;
}

int main(void)
{
	const struct rlimit limit = { 100000 * 1024, 100000 * 1024 };
	size_t chunk = (percpu_nr_slots() + 2) * percpu_stride();
	unsigned first;
	unsigned second;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more address space");
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	first = fill_up(percpu_max_size() / 2);
	printf("%u objects\n", first);
	/* Two objects a chunk, and chunks fill half of the space at least. */
	CHECK(first >= limit.rlim_cur / 2 / chunk * 2);
	if (percpu_nr_slots() <= 256)
		CHECK(first >= 2);
	for (unsigned i = 0; i < first; i++) {
		fill(h[i], 16, 1);
		percpu_free(h[i]);
	}
	second = fill_up(percpu_max_size() / 2);
	CHECK_EQ(second, first);
	for (unsigned i = 0; i < second; i++)
		CHECK(is_filled(h[i], 16, 0));
	return TEST_PASS;
}

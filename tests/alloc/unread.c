/* SPDX-License-Identifier: MIT */
/*
 * Memory that was never used is not even read: of new objects of every size no
 * slot has a page, not the one of zeros that the system shows to who reads.
 */
#include "pages.h"

#include <fcntl.h>

static int pagemap;

/* Whether the page at @p is there, whatever is on it. */
static bool is_there(const void *p)
{
	uint64_t entry;
	off_t at = (off_t)((uintptr_t)p / page_size() * sizeof(entry));

	CHECK(pread(pagemap, &entry, sizeof(entry), at) == sizeof(entry));
	return entry >> 63 != 0;
}

static void check_unread(void PERCPU *h, size_t size)
{
	for (unsigned s = 0; s <= percpu_nr_slots(); s++) {
		const char *p = percpu_ptr((char PERCPU *)h, s);

		for (size_t at = 0; at < size; at += page_size())
			if (is_there(p + at))
				FAIL("%zu bytes have a page in slot %u", size,
				     s);
		CHECK(!is_there(p + size - 1));
	}
}

/* None is freed: what comes next is new, too. */
static void check_size(size_t size, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		check_unread(must_alloc(size, 4), size);
}

int main(void)
{
	char PERCPU *read;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer reads with us");
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	if (pagemap < 0)
		SKIP("there is no pagemap");
	/* Together they do not fill a unit, so caches keep what they have. */
	for (size_t size = 4; size <= 2048; size *= 2)
		check_size(size, (unsigned)(percpu_max_size() / 40 / size));
	read = must_alloc(percpu_max_size(), 8);
	check_unread(read, percpu_max_size());
	if (*(volatile char *)percpu_ptr(read, 0) != 0 ||
	    !is_there(percpu_ptr(read, 0)))
		SKIP("pages that were read are not seen here");
	return TEST_PASS;
}

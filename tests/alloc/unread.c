/* SPDX-License-Identifier: MIT */
/*
 * Memory that was never used is not even read: of new objects of every size no
 * slot has a page, not the one of zeros that the system shows to who reads.
 * (What caches give back to chunks counts as used; they do so now and then, so
 * time stands still here.)
 */
#include "pages.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

static int pagemap;

uint64_t __wrap_percpu__os_seconds(void);

uint64_t __wrap_percpu__os_seconds(void)
{
	return 0;
}

/* One cache is filled, and no more. */
static void stay_here(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	CHECK(cpu >= 0 && cpu < CPU_SETSIZE);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
}

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

/* Whether one that was read is seen at all. */
static bool tells(void)
{
	char *p = mmap(NULL, page_size(), PROT_READ,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return *(volatile char *)p == 0 && is_there(p);
}

int main(void)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer reads with us");
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	if (pagemap < 0)
		SKIP("there is no pagemap");
	if (!tells())
		SKIP("pages that were read are not seen here");
	stay_here();
	/* Together they do not fill a unit, so caches keep what they have. */
	for (size_t size = 4; size <= 2048; size *= 2)
		check_size(size, (unsigned)(percpu_max_size() / 40 / size));
	check_unread(must_alloc(percpu_max_size(), 8), percpu_max_size());
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_PAGES_H
#define TESTS_ALLOC_PAGES_H
/*
 * pages.h: pages of slots that take memory, as the library tells and as the
 * kernel counts.
 */
#include "slots.h"

#include "memory.h"

#include <sys/utsname.h>
#include <unistd.h>

static inline size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Whether the system tells a page that was read from one that was written. */
static inline bool tells_read_pages(void)
{
	struct utsname name;
	unsigned major = 0;
	unsigned minor = 0;

	CHECK(uname(&name) == 0);
	CHECK(sscanf(name.release, "%u.%u", &major, &minor) == 2);
	return major > 6 || (major == 6 && minor >= 7);
}

/* Bytes in all slots. */
static inline size_t populated(void)
{
	size_t bytes = 0;

	for (unsigned slot = 0; slot <= percpu_nr_slots(); slot++)
		bytes += percpu_alloc_populated(slot);
	return bytes;
}

#endif

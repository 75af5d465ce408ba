/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_SLOTS_H
#define TESTS_ALLOC_SLOTS_H
/*
 * slots.h: an object in every slot at once, the shared slot too.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/*
 * With AddressSanitizer the library looks for mistakes: objects have red zones
 * behind them, and what is freed waits in a quarantine.
 */
#if defined(__SANITIZE_ADDRESS__)
#define OBJECTS_ARE_PLAIN 0
#else
#define OBJECTS_ARE_PLAIN 1
#endif

/* @h of @size bytes must be there. */
static inline char PERCPU *must_alloc(size_t size, size_t align)
{
	char PERCPU *h = percpu_alloc(size, align);

	if (h == NULL)
		FAIL("no object of %zu bytes at %zu: %s", size, align,
		     strerror(errno));
	return h;
}

static inline void fill(char PERCPU *h, size_t size, int byte)
{
	char *slot;

	percpu_for_each_slot (slot, h)
		memset(slot, byte, size);
}

static inline bool is_filled(char PERCPU *h, size_t size, int byte)
{
	char *slot;

	percpu_for_each_slot (slot, h) {
		if (size > 0 && slot[0] != (char)byte)
			return false;
		if (size > 1 && memcmp(slot, slot + 1, size - 1) != 0)
			return false;
	}
	return true;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * guarded.c: the guarded add. Threads without sections never add to slots of
 * such an object, so there is no atomic at the end: see ref.c.
 */
#include "guarded.h"

#include "again.h"
#include "slot.h"

enum percpu__ran percpu__guarded_add(const struct percpu__guarded *g,
				     uint64_t mask, uint64_t v)
{
	struct percpu__section s;
	enum percpu__ran ran;
	unsigned n = 0;

	if (!percpu__slot_section(&s, NULL))
		return PERCPU__REFUSED;
	do {
		ran = percpu__section_guarded_add(s, g, mask, v);
	} while (percpu__again(ran, n++));
	return ran;
}

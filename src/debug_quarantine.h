/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_DEBUG_QUARANTINE_H
#define PERCPU_SRC_DEBUG_QUARANTINE_H
/*
 * debug_quarantine.h: freed objects, first in first out.
 */
#include "debug.h"

/*
 * Put @in last. True: *@out is the first, put out since more than @limit bytes
 * of a unit or more than there are places for are held, or @in itself, since
 * memory for places is short.
 */
bool percpu__debug_quarantine_put(struct percpu__debug_held in, size_t limit,
				  struct percpu__debug_held *out);

/* Put out the first if more than @limit bytes are held, or with @all any. */
bool percpu__debug_quarantine_get(size_t limit, bool all,
				  struct percpu__debug_held *out);

void percpu__debug_quarantine_forked(void);

#endif

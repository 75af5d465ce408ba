/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_AGAIN_H
#define PERCPU_SRC_AGAIN_H
/*
 * again.h: how often an operation runs its section. A few aborts in a row
 * already mean that somebody interrupts it on purpose: a sequence takes
 * nanoseconds, a time slice milliseconds.
 */
#include "section.h"

#include <stdbool.h>

#define PERCPU__TRIES 16u

/* Whether to run the section again after it ended with @ran, the @n-th time. */
static inline bool percpu__again(enum percpu__ran ran, unsigned n)
{
	if (ran == PERCPU__REFUSED)
		return n == 0 && percpu__area_attach(true);
	return ran == PERCPU__ABORTED && n + 1 < PERCPU__TRIES;
}

#endif

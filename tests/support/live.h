/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_LIVE_H
#define TESTS_SUPPORT_LIVE_H
/*
 * live.h: what the library has given out.
 */
#include <percpu/alloc.h>

static inline size_t live(void)
{
	struct percpu_alloc_stats stats;

	percpu_alloc_stats(&stats);
	return stats.live;
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_RETIRES_H
#define TESTS_HOTPLUG_RETIRES_H
/*
 * retires.h: whether pages of a gone CPU go from under live objects here.
 */
#include "memory.h"

#include <percpu/cpu.h>

static inline bool retires_with(enum percpu_mode mode)
{
	return MEMORY_IS_OURS && getenv("PERCPU_INDEX") == NULL &&
	       percpu_backend(NULL) == mode;
}

static inline bool retires_refs(void)
{
	return retires_with(PERCPU_MODE_RSEQ) && percpu_fence() == 0;
}

static inline bool retires_counters(void)
{
	return retires_with(PERCPU_MODE_ATOMIC) || retires_refs();
}

#endif

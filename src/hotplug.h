/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_HOTPLUG_H
#define PERCPU_SRC_HOTPLUG_H
/*
 * hotplug.h: the CPUs that this process may use, and looking again.
 * percpu_cpus_refresh() of the public header is its front.
 */
#include "topology.h"

#include <stdint.h>

#define PERCPU__CPUS_WORD (8 * sizeof(unsigned long))

struct percpu__cpus {
	unsigned long bits[PERCPU__IDS_MAX / PERCPU__CPUS_WORD];
};

static inline bool percpu__cpus_has(const struct percpu__cpus *s, unsigned cpu)
{
	return cpu < PERCPU__IDS_MAX &&
	       (s->bits[cpu / PERCPU__CPUS_WORD] >> cpu % PERCPU__CPUS_WORD &
		1) != 0;
}

/*
 * The CPUs that some thread of this process may run on now, without those that
 * are off line. 0, or -errno with *@used undefined. Not at the same time as
 * another call.
 */
int percpu__hotplug_cpus_used(struct percpu__cpus *used);

/*
 * As percpu_cpus_refresh(), but if @always is false only where something has
 * changed since the last time. To *@changes, how often that was.
 */
int percpu__hotplug_refresh(bool always, uint64_t *changes);

#endif

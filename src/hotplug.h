/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_HOTPLUG_H
#define PERCPU_SRC_HOTPLUG_H
/*
 * hotplug.h: the CPUs that this process may use.
 */
#include "topology.h"

/*
 * The CPUs that some thread of this process may run on now, without those that
 * are off line; and how many are on line. 0, or -errno with both undefined. Not
 * at the same time as another call.
 */
int percpu__hotplug_cpus_used(struct percpu__cpus *used, unsigned *online);

#endif

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

/* From now on thread @id of this process counts as no user; 0: all count. */
void percpu__hotplug_cpus_leave_out(int id);

/*
 * 1 if @known are not the CPUs used, and then they become them; else 0, or
 * -errno. Refreshes nothing.
 */
int percpu__hotplug_look(struct percpu__cpus *known);

/* From now on each refresh that has worked calls @fn, without a lock. */
void percpu__hotplug_then(void (*fn)(void));

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_HOTPLUG_H
#define PERCPU_HOTPLUG_H
/*
 * hotplug.h: CPUs that come and go while the program runs.
 *
 * Nothing here is needed to count right: an operation uses the slot of the CPU
 * it is on, whenever that came, and sums go over all slots, whoever is gone.
 * What a CPU leaves behind is memory: what is cached for it. A CPU is *gone*
 * when no thread of this process may run on it: because it is off line, or by
 * the cpuset or affinity of every thread, of those too that call.h has made.
 */
#include <percpu/base.h>

PERCPU__DECLS_BEGIN

/*
 * Look again which CPUs there are. What is cached for CPUs that are gone comes
 * within reach of the others: the allocator's objects, the items of caches
 * (percpu/cache.h) as far as their depots have room. Pages of theirs on which
 * nothing lies any more go back to the system, and those on which only counters
 * (percpu/counter.h) lie, whose slots there move to the calling thread's CPU:
 * sums stay exact. percpu_counter_batch is max(32, 2 x the CPUs on line) again,
 * unless the program has set it to something else. A CPU that comes back needs
 * nothing.
 *
 * Slots by concurrency id (PERCPU_INDEX_CID) are not a CPU's, so there only
 * the batch changes; where the kernel has no fence (percpu_fence()) caches and
 * counters stay as they are, in reach when their CPU comes back.
 *
 * Returns 0, whether something has changed or not; -ENOMEM; what
 * sched_getaffinity(2) has failed with. Then nothing has changed.
 * Context: any thread, not a signal handler; in a forked child too. Calls no
 * function of the program's.
 * Cost: some system calls for each gone CPU and each stretch of memory that
 * goes; fences, for what is cached and for each chunk with counters; O(objects)
 * of such chunks under the allocator's lock; where some CPUs on line are not
 * for the calling thread, a system call for each other thread, until one may
 * use the rest.
 * Source: Linux, CPU hotplug callbacks.
 */
int percpu_cpus_refresh(void);

PERCPU__DECLS_END
#endif

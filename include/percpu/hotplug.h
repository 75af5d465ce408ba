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
 * the cpuset or affinity of every thread, of those too that call.h has made:
 * "taskset -ap" does that, "taskset -p" moves one thread alone. The watcher's
 * does not count, and keeps to CPUs that others use.
 */
#include <percpu/base.h>

PERCPU__DECLS_BEGIN

/*
 * Look again which CPUs there are. What is cached for CPUs that are gone comes
 * within reach of the others: the allocator's objects, the items of caches
 * (percpu/cache.h) as far as their depots have room. Of those that have gone
 * since the last time, pages on which nothing lies any more go back to the
 * system, and those on which only counters (percpu/counter.h) and references
 * (percpu/ref.h) lie: slots of counters move to the calling thread's CPU, and
 * references count in their words meanwhile, and none is released by that: all
 * stay exact; percpu_trim() finds pages that become free later. And
 * percpu_counter_batch is max(32, 2 x the CPUs on line) again, unless the
 * program has set it to something else. A CPU that comes back needs nothing.
 *
 * Slots by concurrency id (PERCPU_INDEX_CID) are not a CPU's, so there only
 * the batch changes; where the kernel has no fence (percpu_fence()) caches and
 * slots stay as they are, in reach when their CPU comes back.
 *
 * Returns 0, whether something has changed or not; -ENOMEM; -EMFILE or -ENFILE,
 * /proc and /sys cannot be read for want of a descriptor; what
 * sched_getaffinity(2) has failed with. Then nothing has changed.
 * Context: any thread, not a signal handler; in a forked child too. Calls no
 * function of the program's but those of percpu/kernel/cpuhp.h.
 * Cost: some system calls for each gone CPU and each stretch of memory that
 * goes; fences, for what is cached and for each chunk with counters or
 * references; O(objects) of such chunks under the allocator's lock, and under
 * one for which who kills, asks or ends a reference waits; where some CPUs on
 * line are not for the calling thread, a system call for each other thread,
 * until one may use the rest.
 * Source: Linux, CPU hotplug callbacks.
 */
int percpu_cpus_refresh(void);

/*
 * Start a thread that calls percpu_cpus_refresh(), then @fn(@arg) if @fn is not
 * NULL, whenever a CPU has come or gone: at once when the kernel says that one
 * was added, removed, or is on or off line; within some seconds after it is in
 * no thread's affinity or cpuset any more, or in one's again, of which the
 * kernel says nothing. Where it says nothing at all, as in containers, hotplug
 * is noticed as late.
 *
 * @fn may be called for nothing, and once for several changes. It runs in that
 * thread, with 256 KiB of stack and all signals blocked but those that its own
 * faults raise. Others' unwatch, and their dlclose() of the library's last
 * user, wait until it returns; it must not dlclose() that itself.
 *
 * Returns 0; -EBUSY if there is a watcher; -EAGAIN, -EMFILE, -ENFILE, -ENOMEM:
 * no thread, descriptor or memory; what sched_getaffinity(2) or eventfd(2) has
 * failed with.
 * Context: any thread, @fn too, not a signal handler. A child of fork has no
 * watcher, and may start one. It holds two descriptors, closed by exec: who
 * closes all there are must unwatch first. It is there until unwatched, and may
 * call @fn while the program exits.
 * Ordering: what comes before it is seen by @fn.
 * Cost: a thread that wakes up once a second and asks for the CPUs of others.
 * Source: Linux, CPU hotplug notifiers and uevents.
 */
int percpu_cpus_watch(void (*fn)(void *arg), void *arg);

/*
 * End the watcher, if there is one, and wait for its end: then @fn does not
 * run, and will not.
 *
 * Returns 0; -EDEADLK in @fn; -ENOMEM. Then nothing has changed.
 * Context: any thread, not a signal handler; in a forked child too.
 * Ordering: what @fn has done is seen.
 * Cost: waits for @fn if it runs. Signals to the caller wait meanwhile.
 */
int percpu_cpus_unwatch(void);

PERCPU__DECLS_END
#endif

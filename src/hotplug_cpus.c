/* SPDX-License-Identifier: MIT */
/*
 * hotplug_cpus.c: which CPUs this process may use.
 *
 * The kernel leaves CPUs that are off line, or outside the thread's cpuset, out
 * of the affinity it tells, so affinity alone is the answer, also where /sys is
 * hidden or shows a container's own numbers. But it is a thread's: one that is
 * pinned to a CPU must not make all others look gone. So the answer is that of
 * all threads together. Most often the calling thread may use all that /sys
 * says is on line, and nobody else need be asked.
 *
 * A thread can be born or moved while others are asked, and be missed. Then a
 * CPU looks gone that is in use, and what is cached there is taken away once
 * more than it need be; nothing is wrong. So it is when a thread widens its
 * affinity later.
 *
 * The watcher (watcher.c) may run anywhere, and uses nothing: it is left out.
 */
#include "hotplug.h"

#include "mutex.h"
#include "os.h"

/* Left out, in the process of this number (mutex.h). */
static int left_out;
static uint32_t left_out_in;

void percpu__hotplug_cpus_leave_out(int id)
{
	__atomic_store_n(&left_out, id, __ATOMIC_RELAXED);
	__atomic_store_n(&left_out_in, percpu__mutex_family(),
			 __ATOMIC_RELEASE);
}

/* In a child of fork the number may be another thread's. */
static int get_left_out(void)
{
	if (__atomic_load_n(&left_out_in, __ATOMIC_ACQUIRE) !=
	    percpu__mutex_family())
		return 0;
	return __atomic_load_n(&left_out, __ATOMIC_RELAXED);
}

int percpu__hotplug_cpus_used(struct percpu__cpus *used)
{
	/* Callers come one at a time. */
	static struct percpu__cpus online;

	percpu__topology_online_set(&online);
	return percpu__os_affinity_all(used->bits, online.bits,
				       sizeof(used->bits), get_left_out());
}

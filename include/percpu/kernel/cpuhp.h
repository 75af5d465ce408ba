/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_CPUHP_H
#define PERCPU_KERNEL_CPUHP_H
/*
 * cpuhp.h: functions that are called when a CPU comes or goes.
 *
 *   state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "mine", come, go);
 *   percpu_cpus_watch(NULL, NULL);            who else would notice?
 *   ...
 *   cpuhp_remove_state(state);
 *
 * percpu_cpus_refresh() notices, and calls them after its own work; so does the
 * watcher, which the program starts. They run in the thread that calls it, not
 * on that CPU: what must be there uses smp_call_on_cpu(). By then the CPU has
 * long come, or gone, so no result keeps it from that. Where a startup does not
 * return 0 it is called again at the next refresh; its teardown is not. One
 * function runs at a time, of all states. What is on line is what /sys says:
 * where that does not tell, nothing comes or goes.
 *
 * For each CPU that comes startups are called in the order of states' numbers,
 * for each that goes teardowns in the other. NULL is no function, and succeeds.
 *
 * Context: threads, in a forked child too, where calls go on that were cut off
 * in the parent, perhaps once more. Not the functions themselves: there the
 * answer is -EDEADLK, and a refresh calls nothing. They return, and do not end
 * their thread.
 */
#include <percpu/hotplug.h>
#include <percpu/kernel/mask.h>

PERCPU__DECLS_BEGIN

/* Numbers that are not DYN, which the kernel's files have there, are not. */
enum cpuhp_state {
	CPUHP_INVALID = -1,
	CPUHP_OFFLINE = 0,
	CPUHP_BP_PREPARE_DYN = 1,
	CPUHP_BP_PREPARE_DYN_END = CPUHP_BP_PREPARE_DYN + 20,
	CPUHP_AP_ONLINE_DYN,
	CPUHP_AP_ONLINE_DYN_END = CPUHP_AP_ONLINE_DYN + 40,
	CPUHP_ONLINE
};

int percpu__kernel_cpuhp_setup(int state, int (*startup)(unsigned cpu),
			       int (*teardown)(unsigned cpu), bool calls);
int percpu__kernel_cpuhp_remove(int state, bool calls);

/*
 * The number of a state that was free, above 0, after a startup for each CPU on
 * line. -EINVAL, @state is neither of the two DYN; -ENOSPC, there are as many
 * as can be; -ENOMEM; -EDEADLK; or what a startup has returned: then each CPU
 * that had one has had a teardown. @name is nothing. _nocalls: no startups now.
 * Waits for functions that are being called.
 */
static inline int cpuhp_setup_state(enum cpuhp_state state, const char *name,
				    int (*startup)(unsigned cpu),
				    int (*teardown)(unsigned cpu))
{
	(void)name;
	return percpu__kernel_cpuhp_setup((int)state, startup, teardown, true);
}

static inline int cpuhp_setup_state_nocalls(enum cpuhp_state state,
					    const char *name,
					    int (*startup)(unsigned cpu),
					    int (*teardown)(unsigned cpu))
{
	(void)name;
	return percpu__kernel_cpuhp_setup((int)state, startup, teardown, false);
}

/*
 * A teardown for each CPU that has had a startup, then none any more: 0. Where
 * there is no such state, -EINVAL; -EDEADLK, -ENOMEM, it is still there.
 * _nocalls: no teardowns. Waits for functions that are being called.
 */
static inline int cpuhp_remove_state(int state)
{
	return percpu__kernel_cpuhp_remove(state, true);
}

static inline int cpuhp_remove_state_nocalls(int state)
{
	return percpu__kernel_cpuhp_remove(state, false);
}

PERCPU__DECLS_END
#endif

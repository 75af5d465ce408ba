/* SPDX-License-Identifier: MIT */
/*
 * hotplug.c: what CPUs that are gone have left is brought within reach.
 *
 *   bins of the allocator ---> chunks --+--> pages that nothing lies on
 *   magazines of caches -----> depots   |    go back to the system
 *                                       v
 *                               objects for others
 *   slots of counters -----> another CPU's,  \ and their pages
 *           references ----> their words     / to the system
 *   workers of calls -------> what they were sent is run, then they end
 *
 * 1. Nothing is decided by who is gone but whose caches are emptied. A CPU that
 *    is wrongly taken for gone, or comes back at any moment, finds its caches
 *    empty, as at the start.
 * 2. They are emptied as they are when memory is short: shut by one word that
 *    their sequences load, then a fence (cache.c, 3; magazine.c, 2). That no
 *    thread runs on a gone CPU does not do instead: it may come back while its
 *    caches are looked at.
 * 3. Slots of locks stay as they are, those of counters and references move if
 *    all on their page can (retire.c). Sums go over all slots, so no read ever
 *    depends on who is on line.
 * 4. The lock is held throughout, so that refreshes come one at a time. It
 *    comes before that of calls (call_start.c); before the list's of caches,
 *    which comes before a depot's; and before that of retire.c, which comes
 *    before the allocator's, and before that of references (ref_adapt.c).
 *    Nobody who has one of those comes here.
 * 5. In a child of fork the lock is free, used perhaps half copied, and what it
 *    names perhaps not yet emptied: the first refresh there is as the first of
 *    all. What it empties a fork has always put in order (lock.c, depot.c).
 * 6. What is to be called then, the program's functions by kernel_cpuhp.c, is
 *    called when the lock is dropped: they may refresh, lock, wait and fork.
 *
 * All gone CPUs' caches are looked at each time, and not those alone that have
 * gone since the last time: a CPU may have come and gone in between. Pages are
 * looked for in units of CPUs that have gone since, since that takes a system
 * call for each stretch of free pages; percpu_trim() finds the rest. Where none
 * has, pages are not touched: who refreshes all the time would else keep them
 * from ever having been free for long (trim.c).
 */
#include "hotplug.h"

#include "annot.h"
#include "call.h"
#include "counter.h"
#include "depot_list.h"
#include "mutex.h"
#include "policy.h"
#include "retire.h"
#include "supply.h"
#include "trim.h"

#include <percpu/hotplug.h>
#include <string.h>

static struct percpu__mutex lock; /* over all of this */
static struct percpu__cpus used;  /* by whom there are */
static struct percpu__cpus before;
static struct percpu__cpus now;
static bool looked;

static void (*then)(void);

static void take(void)
{
	if (percpu__mutex_take(&lock))
		looked = false;
	/* It sees calls of libc write what the lock guards. */
	percpu__annot_tsan_acquire(&lock);
}

static bool is_gone(unsigned slot)
{
	return slot < percpu__rt.nr_slots && !percpu__cpus_has(&used, slot);
}

static bool has_left(unsigned slot)
{
	return is_gone(slot) && percpu__cpus_has(&before, slot);
}

static bool any_has_left(void)
{
	for (unsigned i = 0; i < percpu__rt.nr_slots; i++)
		if (has_left(i))
			return true;
	return false;
}

/* Under a policy where slots are CPUs; before the latch there is nothing. */
static bool slots_are_cpus(void)
{
	struct percpu__policy p = percpu__policy_peek();

	return (p.mode == PERCPU_MODE_RSEQ || p.mode == PERCPU_MODE_ATOMIC) &&
	       p.index == PERCPU_INDEX_CPU && percpu__rt.policy != 0;
}

static void bring_back(void)
{
	if (!slots_are_cpus())
		return;
	percpu__depot_list_collect(is_gone);
	percpu__supply_leave(is_gone);
	if (any_has_left())
		percpu__trim_slots(has_left);
	percpu__retire_slots(has_left, is_gone);
}

/*
 * What was used before the first look is not known, so all may have been; nor
 * does a look count that found no slots yet.
 */
static void look(void)
{
	if (looked)
		before = used;
	else
		memset(&before, 0xff, sizeof(before));
	used = now;
	looked = slots_are_cpus();
}

static int refresh(void)
{
	unsigned online;
	int err = percpu__hotplug_cpus_used(&now, &online);

	if (err < 0)
		return err;
	look();
	percpu__call_refresh();
	bring_back();
	percpu__counter_init_follow(online);
	return 0;
}

void percpu__hotplug_then(void (*fn)(void))
{
	__atomic_store_n(&then, fn, __ATOMIC_RELEASE);
}

int percpu_cpus_refresh(void)
{
	void (*fn)(void) = __atomic_load_n(&then, __ATOMIC_ACQUIRE);
	int err = percpu__mutex_start();

	if (err < 0)
		return err;
	take();
	err = refresh();
	percpu__annot_tsan_release(&lock);
	percpu__mutex_drop(&lock);
	if (err == 0 && fn != NULL)
		fn();
	return err;
}

int percpu__hotplug_look(struct percpu__cpus *known)
{
	unsigned online;
	int err;

	take();
	err = percpu__hotplug_cpus_used(&now, &online);
	if (err == 0 && memcmp(known, &now, sizeof(now)) != 0) {
		*known = now;
		err = 1;
	}
	percpu__annot_tsan_release(&lock);
	percpu__mutex_drop(&lock);
	return err;
}

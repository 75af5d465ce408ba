/* SPDX-License-Identifier: MIT */
/*
 * hotplug_cpus.c: which CPUs this process may use.
 *
 * The kernel leaves CPUs that are off line, or outside the thread's cpuset, out
 * of the affinity it tells, so affinity alone is the answer, also where /sys is
 * hidden or shows a container's own numbers. But it is a thread's: one that is
 * pinned to a CPU must not make all others look gone. So the answer is that of
 * all threads together. Most often the calling thread may use all that /sys
 * says is on line, and nobody else need be asked; where /sys says nothing, all
 * are.
 *
 * Where /proc is hidden, or numbers threads as another namespace does, two can
 * be asked: this one and the first. A want of descriptors or memory is no such
 * thing, since it passes: then nothing is known, and that is the answer.
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

#include <errno.h>
#include <string.h>

#define LONGS (PERCPU__IDS_MAX / PERCPU__CPUS_WORD)

struct asked {
	struct percpu__cpus *used;
	const struct percpu__cpus *enough;
	int except; /* a thread, or 0 */
};

static bool passes(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM;
}

static bool has_enough(const struct asked *a)
{
	for (size_t i = 0; i < LONGS; i++)
		if ((a->enough->bits[i] & ~a->used->bits[i]) != 0)
			return false;
	return true;
}

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

/* Whether others should be asked, too. The thread may be gone. */
static bool ask(int id, void *arg)
{
	/* Callers come one at a time. */
	static struct percpu__cpus one;
	struct asked *a = arg;

	if (id == a->except)
		return true;
	if (percpu__os_affinity_of(id, one.bits, sizeof(one)) < 0)
		return true;
	for (size_t i = 0; i < LONGS; i++)
		a->used->bits[i] |= one.bits[i];
	return !has_enough(a);
}

static unsigned count(const struct percpu__cpus *cpus)
{
	unsigned n = 0;

	for (size_t i = 0; i < LONGS; i++)
		n += (unsigned)__builtin_popcountl(cpus->bits[i]);
	return n;
}

/* What this thread may use, or where it does not count, nothing yet. */
static int ask_self(struct asked *a)
{
	int err = percpu__os_affinity(a->used->bits, sizeof(*a->used));

	if (err == 0 && a->except != 0 && a->except == percpu__os_thread())
		memset(a->used, 0, sizeof(*a->used));
	return err;
}

static int ask_all(struct asked *a)
{
	int err = ask_self(a);

	if (err < 0 || has_enough(a))
		return err;
	err = percpu__os_threads(ask, a);
	if (passes(err))
		return err;
	if (err < 0)
		ask(percpu__os_process(), a);
	return 0;
}

int percpu__hotplug_cpus_used(struct percpu__cpus *used, unsigned *online)
{
	static struct percpu__cpus enough;
	struct asked a = { .used = used,
			   .enough = &enough,
			   .except = get_left_out() };
	int told = percpu__topology_told_set(&enough);
	int err;

	if (passes(told))
		return told;
	if (told < 0)
		memset(&enough, 0xff, sizeof(enough));
	err = ask_all(&a);
	if (err < 0)
		return err;
	*online = told < 0 ? count(used) : (unsigned)told;
	return 0;
}

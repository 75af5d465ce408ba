/* SPDX-License-Identifier: MIT */
/*
 * kernel_cpuhp.c: functions that are called when CPUs come or go.
 *
 *   state     startup  teardown  up: CPUs whose startup has succeeded
 *   1         f        g         0 1 2 .
 *   22        h        NULL      0 1 . .      on line:  0 1 . 3
 *             CPU 2 goes: (22), 1; then CPU 3 comes: 1, 22
 *
 * 1. Nobody but who has the turn reads or writes states. So at most one
 *    function runs at a time, without a lock: it may wait, fork, and call what
 *    it likes, but this, which its thread's id tells.
 * 2. A look compares what is on line with each state's up, which changes with
 *    each call that is made. So however often CPUs come and go between two
 *    looks, startups and teardowns of a CPU alternate.
 * 3. up of a CPU is cleared before its teardown and set after its startup: a
 *    child of fork that has left a call unfinished calls a startup again, if
 *    anything, and a teardown not.
 * 4. A turn of another process is none: the first that takes the lock there
 *    takes it away. A state that was half made there is none: used comes last.
 *
 * The lock is held for a few instructions. Nobody who has another calls this.
 */
#include "hotplug.h"
#include "mutex.h"
#include "os.h"
#include "topology.h"

#include <errno.h>
#include <percpu/kernel/cpuhp.h>

#define STATES ((int)CPUHP_ONLINE)
#define FOR_EVER UINT32_MAX

typedef int fn(unsigned cpu);

struct state {
	fn *startup;
	fn *teardown;
	bool used;
	struct cpumask up;
};

/* Guards the two below. */
static struct percpu__mutex lock;
static int owner;     /* the thread whose turn it is, or 0 */
static uint32_t ends; /* a futex: turns that have ended */

/* Of whose turn it is. */
static struct state states[STATES];
static struct cpumask online;

/* 0; -EDEADLK: it has been this thread's all the time. */
static int take_turn(void)
{
	int self = percpu__os_thread();
	uint32_t seen;
	int other;

	if (percpu__mutex_start() < 0)
		return -ENOMEM;
	do {
		if (percpu__mutex_take(&lock))
			owner = 0;
		seen = __atomic_load_n(&ends, __ATOMIC_RELAXED);
		other = owner;
		if (other == 0)
			owner = self;
		percpu__mutex_drop(&lock);
		if (other == self)
			return -EDEADLK;
		if (other != 0)
			percpu__os_wait(&ends, seen, FOR_EVER);
	} while (other != 0);
	return 0;
}

static void end_turn(void)
{
	percpu__mutex_take(&lock);
	owner = 0;
	__atomic_fetch_add(&ends, 1, __ATOMIC_RELAXED);
	percpu__mutex_drop(&lock);
	percpu__os_wake(&ends);
}

/* What is on line now, as far as it has slots; false where nothing tells. */
static bool look(void)
{
	struct percpu__cpus now;

	if (percpu__topology_told_set(&now) < 0)
		return false;
	cpumask_clear(&online);
	for (unsigned cpu = 0; cpu < percpu_nr_slots(); cpu++)
		if (percpu__cpus_has(&now, cpu))
			__cpumask_set_cpu(cpu, &online);
	return true;
}

static int come(struct state *s, unsigned cpu)
{
	int err;

	if (!s->used || cpumask_test_cpu(cpu, &s->up))
		return 0;
	err = s->startup != NULL ? s->startup(cpu) : 0;
	if (err == 0)
		__cpumask_set_cpu(cpu, &s->up);
	return err;
}

static void go(struct state *s, unsigned cpu)
{
	if (!s->used || !cpumask_test_cpu(cpu, &s->up))
		return;
	__cpumask_clear_cpu(cpu, &s->up);
	if (s->teardown != NULL)
		s->teardown(cpu);
}

static void all_come(unsigned cpu)
{
	for (int i = 0; i < STATES; i++)
		come(&states[i], cpu);
}

static void all_go(unsigned cpu)
{
	for (int i = STATES - 1; i >= 0; i--)
		go(&states[i], cpu);
}

/* After each refresh. */
static void follow(void)
{
	unsigned cpu;

	if (take_turn() < 0)
		return;
	if (look()) {
		for_each_cpu_andnot (cpu, cpu_possible_mask, &online)
			all_go(cpu);
		for_each_cpu (cpu, &online)
			all_come(cpu);
	}
	end_turn();
}

static void bring_down(struct state *s)
{
	unsigned cpu;

	for_each_cpu (cpu, cpu_possible_mask)
		go(s, cpu);
}

/* For all CPUs on line, or none. */
static int bring_up(struct state *s)
{
	unsigned cpu;
	int err;

	for_each_cpu (cpu, &online) {
		err = come(s, cpu);
		if (err == 0)
			continue;
		bring_down(s);
		return err;
	}
	return 0;
}

static int find_free(int from)
{
	int end = from == CPUHP_BP_PREPARE_DYN ? CPUHP_BP_PREPARE_DYN_END :
						 CPUHP_AP_ONLINE_DYN_END;

	while (from <= end && states[from].used)
		from++;
	return from <= end ? from : -ENOSPC;
}

static int setup(int from, fn *startup, fn *teardown, bool calls)
{
	int number = find_free(from);
	struct state *s;
	int err;

	if (number < 0)
		return number;
	if (!look())
		cpumask_copy(&online, cpu_online_mask);
	s = &states[number];
	s->startup = startup;
	s->teardown = teardown;
	cpumask_clear(&s->up);
	if (!calls)
		cpumask_copy(&s->up, &online);
	__atomic_store_n(&s->used, true, __ATOMIC_RELEASE);
	err = bring_up(s);
	if (err != 0)
		s->used = false;
	return err != 0 ? err : number;
}

int percpu__kernel_cpuhp_setup(int state, fn *startup, fn *teardown, bool calls)
{
	int err;

	if (state != CPUHP_BP_PREPARE_DYN && state != CPUHP_AP_ONLINE_DYN)
		return -EINVAL;
	err = take_turn();
	if (err < 0)
		return err;
	err = setup(state, startup, teardown, calls);
	percpu__hotplug_then(follow);
	end_turn();
	return err;
}

int percpu__kernel_cpuhp_remove(int state, bool calls)
{
	int err = take_turn();

	if (err < 0)
		return err;
	if (state > 0 && state < STATES && states[state].used) {
		if (calls)
			bring_down(&states[state]);
		states[state].used = false;
	} else {
		err = -EINVAL;
	}
	end_turn();
	return err;
}

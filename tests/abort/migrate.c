/* SPDX-License-Identifier: MIT */
/*
 * migrate.c: a thread that is moved to another CPU at any instruction of an
 * operation, and again while it is tried again, lands in the slot of the CPU on
 * which it ends if it had not committed yet, and in the one before if it had.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#include <sched.h>

static unsigned home;
static unsigned away;
static unsigned long moved;

static bool move_to(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/* Two CPUs that have slots and may run this thread. */
static void find_cpus(void)
{
	home = percpu_this_slot();
	for (unsigned cpu = 0; cpu < percpu_nr_slots(); cpu++)
		if (cpu != home && move_to(cpu))
			away = cpu;
	if (!move_to(home) || away == home || percpu_this_slot() != home)
		SKIP("this thread has no two CPUs");
}

/* Where the thread is; each interruption moves it to the other of the two. */
static unsigned here;

static unsigned other(unsigned cpu)
{
	return cpu == home ? away : home;
}

static void leave(void)
{
	here = other(here);
	CHECK(move_to(here));
}

static void interrupt_at(const struct operation *op,
			 const struct section *const *chain, size_t n,
			 uintptr_t at)
{
	struct point p[CHAIN_MAX];
	bool committed;

	for (size_t i = 0; i <= n; i++)
		p[i] = (struct point){ .section = chain[i],
				       .at = i < n ? chain[i]->start : at,
				       .times = 1 };
	here = home;
	CHECK(move_to(home));
	object_fill();
	inject_run(op, object_field(), p, n + 1, leave);
	for (size_t i = 0; i <= n; i++)
		moved += p[i].hits;
	committed = p[n].hits != 0 && at >= section_end(chain[n]);
	CHECK_EQ(object_once(op).slot, committed ? other(here) : here);
}

int main(void)
{
	inject_start();
	CHECK(object_start().twins);
	find_cpus();
	for (const struct operation *const *t = operations; *t != NULL; t++)
		for (const struct operation *op = *t; op->name != NULL; op++) {
			const struct section *chain[CHAIN_MAX];
			uintptr_t at[INSTRUCTIONS_MAX];
			size_t length = inject_chain(op, object_field(), chain);

			for (size_t n = 0; n < length; n++) {
				size_t count =
					inject_instructions(chain[n], at);

				for (size_t i = 0; i < count; i++)
					interrupt_at(op, chain, n, at[i]);
			}
		}
	printf("moved %lu times\n", moved);
	CHECK(moved != 0);
	return TEST_PASS;
}

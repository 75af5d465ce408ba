/* SPDX-License-Identifier: MIT */
/*
 * migrate.c: a thread that is moved to another CPU at any instruction of an
 * operation, and back at any later one, lands in the slot of the CPU on which
 * it is when it commits.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#include <sched.h>

/* Two CPUs, and on which of them the thread is. */
static unsigned cpus[2];
static unsigned here;

/* The slot where the operation at hand belongs as things stand. */
static unsigned expected;
static const struct operation *current;
static unsigned long moves;

static bool move_to(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

static void find_cpus(void)
{
	cpus[0] = cpus[1] = percpu_this_slot();
	for (unsigned cpu = 0; cpu < percpu_nr_slots(); cpu++)
		if (cpu != cpus[0] && move_to(cpu))
			cpus[1] = cpu;
	if (cpus[0] == cpus[1])
		SKIP("this thread has no two CPUs");
}

static void go_home(void)
{
	here = 0;
	CHECK(move_to(cpus[0]));
	expected = cpus[0];
}

/* Move to the other CPU, which matters where nothing is stored yet. */
static void move(void)
{
	here = !here;
	CHECK(move_to(cpus[here]));
	if (object_outcome(current->size).changed == 0)
		expected = cpus[here];
	moves++;
}

static void move_at(struct point *points, size_t count)
{
	go_home();
	object_fill();
	inject_run(current, object_field(), points, count, move);
	CHECK_EQ(object_once(current).slot, expected);
}

/* Move at @at, before the section, and once more at each later instruction. */
static void move_twice(const struct section *s, uintptr_t at)
{
	uintptr_t again[INSTRUCTIONS_MAX];
	size_t count = inject_instructions(s, again);

	for (size_t i = 0; i < count; i++) {
		struct point p[2] = {
			{ .section = s, .at = at, .times = 1 },
			{ .section = s, .at = again[i], .times = 1 },
		};

		if (again[i] > at)
			move_at(p, 2);
	}
}

/* Move where each section before number @n begins, and in that one at @at. */
static void move_along(const struct section *const *chain, size_t n,
		       uintptr_t at)
{
	struct point p[CHAIN_MAX] = { 0 };

	inject_along(p, chain, n, at);
	move_at(p, n + 1);
}

static void move_in_each(void)
{
	const struct section *chain[CHAIN_MAX];
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t length = inject_chain(current, object_field(), chain);

	for (size_t n = 0; n < length; n++) {
		size_t count = inject_instructions(chain[n], at);

		for (size_t i = 0; i < count; i++) {
			move_along(chain, n, at[i]);
			if (n == 0 && at[i] < chain[0]->start)
				move_twice(chain[0], at[i]);
		}
	}
}

int main(void)
{
	inject_start();
	CHECK(object_start().twins);
	find_cpus();
	for (const struct operation *const *t = operations; *t != NULL; t++)
		for (current = *t; current->name != NULL; current++)
			move_in_each();
	printf("moved %lu times\n", moves);
	CHECK(moves != 0);
	return TEST_PASS;
}

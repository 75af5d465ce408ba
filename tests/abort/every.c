/* SPDX-License-Identifier: MIT */
/*
 * every.c: an abort at any one instruction of any section, and an interruption
 * just before or after it, leaves the operation done exactly once, in this
 * thread's slot, nothing beside it changed and rseq_cs at 0.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

static struct mode mode;
static unsigned long aborts;

/* Whether all instructions of @op's first section are reached, or few. */
static bool commits_at_once(const struct operation *const *table)
{
	return *table == operations_twin ? mode.twins : mode.inlined;
}

static bool interrupt(const struct operation *op, struct point *p)
{
	struct outcome o;

	object_fill();
	inject_run(op, object_field(), p, 1, NULL);
	o = object_once(op);
	if (getenv("PERCPU_INDEX") == NULL)
		CHECK_EQ(o.slot, percpu_this_slot());
	aborts += p->aborted;
	return inject_hit(op, p, mode.registered);
}

/* A time slice may end in the section and spare the breakpoint: try again. */
static bool reached(const struct operation *op, const struct section *s,
		    uintptr_t at)
{
	bool hit = false;

	for (int i = 0; i < 20 && !hit; i++) {
		struct point p = { .section = s, .at = at, .times = 1 };

		hit = interrupt(op, &p);
	}
	return hit;
}

static void interrupt_each(const struct operation *op, bool commits)
{
	const struct section *chain[CHAIN_MAX];
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t count;
	unsigned inside = 0;

	inject_chain(op, object_field(), chain);
	count = inject_instructions(chain[0], at);
	for (size_t i = 0; i < count; i++) {
		bool hit = reached(op, chain[0], at[i]);

		if (!section_has(chain[0], at[i]))
			continue;
		inside += hit;
		if (commits && !hit)
			FAIL("%s: instruction at %+ld is never reached",
			     op->name, (long)(at[i] - chain[0]->start));
	}
	if (inside < 2)
		FAIL("%s: %u instructions of its section reached", op->name,
		     inside);
}

int main(void)
{
	inject_start();
	mode = object_start();
	for (const struct operation *const *t = operations; *t != NULL; t++) {
		if (*t == operations_twin && !mode.twins)
			continue;
		for (const struct operation *op = *t; op->name != NULL; op++)
			interrupt_each(op, commits_at_once(t));
	}
	printf("%lu aborts\n", aborts);
	CHECK((aborts != 0) == mode.registered);
	return TEST_PASS;
}

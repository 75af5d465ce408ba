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

/* Interrupt section @n of @chain at @at, those before it at their start. */
static bool interrupt(const struct operation *op,
		      const struct section *const *chain, size_t n,
		      uintptr_t at)
{
	struct point p[CHAIN_MAX] = { 0 };
	struct outcome o;

	inject_along(p, chain, n, at);
	object_fill();
	inject_run(op, object_field(), p, n + 1, NULL);
	o = object_once(op);
	if (!mode.by_cid)
		CHECK_EQ(o.slot, percpu_this_slot());
	aborts += p[n].aborted;
	return inject_hit(op, &p[n], mode.registered);
}

/* A time slice may end in the section and spare the breakpoint: try again. */
static bool reached(const struct operation *op,
		    const struct section *const *chain, size_t n, uintptr_t at)
{
	for (int i = 0; i < 20; i++)
		if (interrupt(op, chain, n, at))
			return true;
	return false;
}

/* Of a section that does not commit the first few instructions are reached. */
static void interrupt_section(const struct operation *op,
			      const struct section *const *chain, size_t n,
			      bool commits)
{
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t count = inject_instructions(chain[n], at);
	unsigned inside = 0;

	for (size_t i = 0; i < count; i++) {
		bool hit = reached(op, chain, n, at[i]);

		if (!section_has(chain[n], at[i]))
			continue;
		inside += hit;
		if (commits && !hit)
			FAIL("%s: instruction at %+ld is never reached",
			     op->name, (long)(at[i] - chain[n]->start));
	}
	if (inside < 2)
		FAIL("%s: %u instructions of a section reached", op->name,
		     inside);
}

static void interrupt_each(const struct operation *op)
{
	const struct section *chain[CHAIN_MAX];
	size_t length = inject_chain(op, object_field(), chain);

	for (size_t n = 0; n < length; n++)
		interrupt_section(op, chain, n,
				  n + 1 == length ? mode.twins : mode.inlined);
}

int main(void)
{
	inject_start();
	mode = object_start();
	for (const struct operation *const *t = operations; *t != NULL; t++) {
		if (*t == operations_twin && !mode.twins)
			continue;
		for (const struct operation *op = *t; op->name != NULL; op++)
			interrupt_each(op);
	}
	printf("%lu aborts\n", aborts);
	CHECK((aborts != 0) == mode.registered);
	return TEST_PASS;
}

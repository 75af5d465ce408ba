/* SPDX-License-Identifier: MIT */
/*
 * again.c: a twin whose section is aborted again and again, at any instruction,
 * after the inlined sections before it were aborted too, tries a bounded
 * number of times; up to then the operation lands in this thread's slot, from
 * then on in the shared slot, exactly once in either case.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#define FOR_EVER 1000u /* more tries than any operation may make */

static struct mode mode;
static unsigned long aborts;

/* The sections of the operation at hand, the twin's last. */
static const struct section *chain[CHAIN_MAX];
static size_t chain_length;

/*
 * Abort the twin's last section at @at so many @times, after each section
 * before it was aborted once. Returns how often the last was aborted.
 */
static unsigned interrupt(const struct operation *op, uintptr_t at,
			  unsigned times, struct outcome *o)
{
	struct point p[CHAIN_MAX];
	size_t last = chain_length - 1;

	inject_along(p, chain, last, at);
	p[last].times = times;
	object_fill();
	inject_run(op, object_field(), p, chain_length, NULL);
	*o = object_once(op);
	inject_hit(op, &p[last], true);
	for (size_t i = 0; i < chain_length; i++)
		aborts += p[i].aborted;
	return p[last].aborted;
}

/* How often the twin tries, as far as breakpoints at @at count. */
static unsigned count_tries(const struct operation *op, uintptr_t at)
{
	struct outcome o;
	unsigned most = 0;

	/* A time slice that ends in the section is a try that is not seen. */
	for (int i = 0; i < 3; i++) {
		unsigned tries = interrupt(op, at, FOR_EVER, &o);

		CHECK_EQ(o.slot, percpu_nr_slots());
		most = tries > most ? tries : most;
	}
	if (most < 2 || most == FOR_EVER)
		FAIL("%s tries %u times", op->name, most);
	return most;
}

/* @times aborts in a row, of @tries that the twin makes at most. */
static void abort_times(const struct operation *op, uintptr_t at,
			unsigned times, unsigned tries)
{
	struct outcome o;
	unsigned seen = 0;

	for (int i = 0; i < 20; i++) {
		bool shared;

		seen = interrupt(op, at, times, &o);
		shared = o.slot == percpu_nr_slots();
		if (shared == (times >= tries) &&
		    seen == (shared ? tries : times))
			return;
	}
	FAIL("%s: %u aborts of %u, %u tries: slot %u", op->name, seen, times,
	     tries, o.slot);
}

static void abort_again(const struct operation *op)
{
	uintptr_t at[INSTRUCTIONS_MAX];
	const struct section *twin;
	size_t count;

	chain_length = inject_chain(op, object_field(), chain);
	twin = chain[chain_length - 1];
	count = inject_instructions(twin, at);
	for (size_t i = 0; i < count; i++) {
		unsigned tries;

		if (!section_has(twin, at[i]))
			continue;
		tries = count_tries(op, at[i]);
		abort_times(op, at[i], 1, tries);
		abort_times(op, at[i], tries - 1, tries);
		abort_times(op, at[i], tries, tries);
		abort_times(op, at[i], tries + 1, tries);
	}
}

int main(void)
{
	inject_start();
	mode = object_start();
	CHECK(mode.twins);
	for (const struct operation *const *t = operations; *t != NULL; t++)
		for (const struct operation *op = *t; op->name != NULL; op++) {
			abort_again(op);
			/* A compiler may have made copies of the twin's. */
			CHECK(chain_length >= (*t == operations_twin ? 2 : 3));
		}
	printf("%lu aborts\n", aborts);
	CHECK(aborts != 0);
	return TEST_PASS;
}

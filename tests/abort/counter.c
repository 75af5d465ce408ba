/* SPDX-License-Identifier: MIT */
/*
 * counter.c: an abort at any one instruction of the sections that add to a
 * counter and claim a slot's carry, inlined or in the library, with or without
 * a handler that adds too: the sum is what was added, the slot is within reach
 * of what it has told, and the read within its bound; a carry that another has
 * claimed stays his; nothing beside the counter changes, rseq_cs is 0.
 */
#include "counter.h"
#include "check.h"
#include "inject.h"
#include "object.h"

#include <string.h>

#define BATCH 4
#define REACH (BATCH - 1)
#define MARGIN 32u

struct object {
	uint8_t before[MARGIN];
	struct percpu__counter_slot slot;
	uint8_t after[MARGIN];
};

/* How a slot is found; @difference: what it has not told. */
struct state {
	uint64_t difference;
	uint64_t busy;
	int64_t v; /* to add */
};

static const struct state states[] = {
	{ 0, 0, 1 },		     /* within */
	{ REACH, 0, -2 },	     /* within, to the other side */
	{ REACH, 0, 1 },	     /* beyond */
	{ (uint64_t)-REACH, 0, -2 }, /* below */
	{ 1, 0, 1000 },		     /* for no slot */
	{ REACH, 1, 1 },	     /* beyond, and another carries */
	{ REACH, 1, -1000 },
};

static struct object PERCPU *object;
static struct percpu_counter counter;
static const struct state *state;
static struct mode mode;
static unsigned long aborts;
static uint64_t added;

static void set_up(void)
{
	struct object *o;

	percpu_for_each_slot (o, object) {
		memset(o, FILL, sizeof(*o));
		memset(&o->slot, 0, sizeof(o->slot));
	}
	o = percpu_this_ptr(object);
	o->slot.told = 2 * 10 + state->busy;
	o->slot.total = 10 + state->difference;
	percpu__counter_shared((void *)&object->slot)->carried = 10;
	added = o->slot.total;
}

static __attribute__((noinline)) void add(void PERCPU *field)
{
	(void)field;
	set_up();
	percpu_counter_add_batch(&counter, state->v, BATCH);
	added += (uint64_t)state->v;
}

static const struct operation adds = { "add", add, 8, EFFECT_ADD, 0 };

static void handler(void)
{
	percpu_counter_add_batch(&counter, 2, BATCH);
	percpu_counter_add_batch(&counter, 70, BATCH);
	added += 72;
}

static void check_slot(const struct object *o, bool mine)
{
	const struct percpu__counter_slot *s = &o->slot;

	for (unsigned i = 0; i < MARGIN; i++)
		CHECK(o->before[i] == FILL && o->after[i] == FILL);
	CHECK(2 * s->total - s->told + 2 * REACH + 1 <= 4 * REACH + 1);
	CHECK_EQ(s->told % 2, mine ? state->busy : 0);
	if (s->told % 2 != 0)
		CHECK(s->told == 21 && s->extra == 0);
}

static void check(void)
{
	int64_t off =
		percpu_counter_read(&counter) - percpu_counter_sum(&counter);
	int64_t bound = percpu_counter_error_bound(&counter);

	CHECK_EQ(percpu_counter_sum(&counter), added);
	CHECK(off <= bound && off >= -bound);
	for (unsigned i = 0; i < percpu_nr_slots(); i++)
		check_slot(percpu_ptr(object, i), i == percpu_this_slot());
	/* object_outcome() looks at rseq_cs, and at an object of its own. */
	CHECK_EQ(object_outcome(8).changed, 0);
}

/* Interrupt section @n of @chain at @at, those before it at their start. */
static bool interrupt(const struct section *const *chain, size_t n,
		      uintptr_t at, void (*hook)(void))
{
	struct point p[CHAIN_MAX] = { 0 };

	inject_along(p, chain, n, at);
	inject_run(&adds, NULL, p, n + 1, hook);
	check();
	aborts += p[n].aborted;
	return inject_hit(&adds, &p[n], mode.registered);
}

/* A time slice may end in the section and spare the breakpoint: try again. */
static bool reached(const struct section *const *chain, size_t n, uintptr_t at)
{
	for (int i = 0; i < 20; i++)
		if (interrupt(chain, n, at, NULL))
			return true;
	return false;
}

static void interrupt_section(const struct section *const *chain, size_t n,
			      bool commits)
{
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t instructions = inject_instructions(chain[n], at);

	for (size_t i = 0; i < instructions; i++) {
		bool hit = reached(chain, n, at[i]);

		interrupt(chain, n, at[i], handler);
		if (commits && !hit && section_has(chain[n], at[i]))
			FAIL("instruction at %+ld is never reached",
			     (long)(at[i] - chain[n]->start));
	}
}

static void interrupt_each(void)
{
	const struct section *chain[CHAIN_MAX];
	size_t length = inject_chain(&adds, NULL, chain);

	CHECK(length >= (mode.twins ? 2 : 1));
	for (size_t n = 0; n < length; n++)
		interrupt_section(chain, n,
				  n + 1 == length && mode.twins &&
					  state->busy == 0);
}

int main(void)
{
	inject_start();
	mode = object_start();
	object_fill();
	object = percpu_new(struct object);
	CHECK(object != NULL);
	counter.most = BATCH;
	counter.part = (uintptr_t)&object->slot;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		state = &states[i];
		interrupt_each();
	}
	printf("%lu aborts\n", aborts);
	CHECK((aborts != 0) == mode.registered);
	return TEST_PASS;
}

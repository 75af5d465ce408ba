/* SPDX-License-Identifier: MIT */
/*
 * own.c: a section that a program writes itself, the way percpu/section.h says,
 * stands an abort at each instruction; tried again without end it leaves for
 * where atomics may work; and where it ends without a store nothing changes.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#define LARGER 0xfbfbfbfbfbfbfbfbull
#define SMALLER 0x7b7b7b7b7b7b7b7bull

static void keep_max(uint64_t PERCPU *h, uint64_t v)
{
	for (unsigned n = 0; n < PERCPU_SECTION_TRIES; n++) {
		bool failed;

		CPU_SECTION(CPU_KEEP_MAX, (PERCPU_SECTION_FAILED(failed)),
			    (PERCPU_SECTION_ON(h), [v] "r"(v)));
		if (!failed)
			return;
	}

	uint64_t *slot = (uint64_t *)percpu_atomic_ptr_raw(h);
	uint64_t old = __atomic_load_n(slot, __ATOMIC_RELAXED);

	while (old < v &&
	       !__atomic_compare_exchange_n(slot, &old, v, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static __attribute__((noinline)) void larger(void PERCPU *h)
{
	keep_max((uint64_t PERCPU *)h, LARGER);
}

static __attribute__((noinline)) void smaller(void PERCPU *h)
{
	keep_max((uint64_t PERCPU *)h, SMALLER);
}

static const struct operation larger_op = { "own max, larger", larger, 8,
					    EFFECT_WRITE, LARGER };
static const struct operation smaller_op = { "own max, smaller", smaller, 8,
					     EFFECT_WRITE, SMALLER };

static struct mode mode;
static unsigned long aborts;

static struct point interrupt(const struct operation *op,
			      const struct section *s, uintptr_t at,
			      unsigned times)
{
	struct point p = { .section = s, .at = at, .times = times };

	object_fill();
	inject_run(op, object_field(), &p, 1, NULL);
	inject_hit(op, &p, mode.registered);
	aborts += p.aborted;
	return p;
}

static void check_larger(const struct section *s, uintptr_t at)
{
	struct point p = interrupt(&larger_op, s, at, 1);
	struct outcome o = object_once(&larger_op);

	if (mode.inlined && !mode.by_cid)
		CHECK_EQ(o.slot, percpu_this_slot());
	p = interrupt(&larger_op, s, at, 1000);
	CHECK(p.aborted <= PERCPU_SECTION_TRIES);
	o = object_once(&larger_op);
	if (p.aborted == PERCPU_SECTION_TRIES)
		CHECK(percpu_ptr((char PERCPU *)object_field(), o.slot) ==
		      percpu_atomic_ptr_raw(object_field()));
}

static void check_smaller(const struct section *s, uintptr_t at)
{
	interrupt(&smaller_op, s, at, 1);
	/* Where no section has run, the shared slot is as full. */
	CHECK_EQ(object_outcome(8).changed, 0);
}

static void check_each(const struct operation *op,
		       void (*check)(const struct section *s, uintptr_t at))
{
	const struct section *chain[CHAIN_MAX];
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t count;

	CHECK_EQ(inject_chain(op, object_field(), chain), 1);
	count = inject_instructions(chain[0], at);
	for (size_t i = 0; i < count; i++)
		check(chain[0], at[i]);
}

int main(void)
{
	inject_start();
	mode = object_start();
	check_each(&larger_op, check_larger);
	check_each(&smaller_op, check_smaller);
	printf("%lu aborts\n", aborts);
	CHECK((aborts != 0) == mode.registered);
	return TEST_PASS;
}

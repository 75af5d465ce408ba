/* SPDX-License-Identifier: MIT */
/*
 * miss.c: a cmpxchg that does not find in its slot what it expects changes no
 * slot, also none that has it, and says what it found, also if it is aborted at
 * any instruction of its sections.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#include <string.h>

#define MISS(bits)                                                             \
	static __attribute__((noinline)) void miss_##bits(void PERCPU *h)      \
	{                                                                      \
		uint##bits##_t old = (uint##bits##_t) ~OLD;                    \
                                                                               \
		CHECK(!percpu_try_cmpxchg((uint##bits##_t PERCPU *)h, &old,    \
					  (uint##bits##_t)VALUE));             \
		operation_result = old;                                        \
	}

MISS(8)
MISS(16)
MISS(32)
MISS(64)

static const struct operation misses[] = {
	{ "missed cmpxchg 8", miss_8, 1, EFFECT_CMPXCHG, VALUE },
	{ "missed cmpxchg 16", miss_16, 2, EFFECT_CMPXCHG, VALUE },
	{ "missed cmpxchg 32", miss_32, 4, EFFECT_CMPXCHG, VALUE },
	{ "missed cmpxchg 64", miss_64, 8, EFFECT_CMPXCHG, VALUE },
};

static struct mode mode;
static unsigned long aborts;

/* Where a thread runs sections, the shared slot has what is expected. */
static void fill(unsigned size)
{
	object_fill();
	if (mode.twins)
		memset(percpu_shared_ptr((char PERCPU *)object_field()),
		       (int)(~OLD & 0xff), size);
}

static void check_unchanged(unsigned size)
{
	struct outcome o = object_outcome(size);

	CHECK_EQ(o.changed, mode.twins);
	if (mode.twins)
		CHECK_EQ(o.value, narrow(~OLD, size));
	CHECK_EQ(operation_result, narrow(OLD, size));
}

/* Interrupt section @n of @chain at @at, those before it at their start. */
static void interrupt(const struct operation *op,
		      const struct section *const *chain, size_t n,
		      uintptr_t at)
{
	struct point p[CHAIN_MAX] = { 0 };

	inject_along(p, chain, n, at);
	fill(op->size);
	inject_run(op, object_field(), p, n + 1, NULL);
	check_unchanged(op->size);
	inject_hit(op, &p[n], mode.registered);
	aborts += p[n].aborted;
}

static void interrupt_each(const struct operation *op)
{
	const struct section *chain[CHAIN_MAX];
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t length = inject_chain(op, object_field(), chain);

	for (size_t n = 0; n < length; n++) {
		size_t count = inject_instructions(chain[n], at);

		for (size_t i = 0; i < count; i++)
			interrupt(op, chain, n, at[i]);
	}
}

int main(void)
{
	inject_start();
	mode = object_start();
	object_fill();
	for (unsigned i = 0; i < 4; i++)
		interrupt_each(&misses[i]);
	printf("%lu aborts\n", aborts);
	CHECK((aborts != 0) == mode.registered);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * announced_ops.c: every section once, in a function of its own. Compiled
 * twice: with the real sections, and with the model's twins.
 */
#include "announced.h"

#include "slot.h"

#include <percpu/percpu.h>

#define VALUE 5u
#define OUT(bits) ((uint##bits##_t *)(void *)&announced_out)

static struct percpu__section section(void *h)
{
	struct percpu__section s = { NULL, NULL, NULL };

	percpu__slot_section(&s, h);
	return s;
}

#define FUNCTION(name, call)                                                   \
	static __attribute__((noinline)) void name(void *h)                    \
	{                                                                      \
		(void)h;                                                       \
		(void)call;                                                    \
	}

#define FUNCTIONS(op, bytes, bits)                                             \
	FUNCTION(op##_##bytes, percpu__try_##op##_##bytes(h, VALUE))           \
	FUNCTION(library_##op##_##bytes,                                       \
		 percpu__section_##op##_##bytes(section(h), VALUE))

#define VALUE_FUNCTIONS(op, bytes, bits)                                       \
	FUNCTION(op##_##bytes,                                                 \
		 percpu__try_##op##_##bytes(h, VALUE, OUT(bits)))              \
	FUNCTION(library_##op##_##bytes,                                       \
		 percpu__section_##op##_##bytes(section(h), VALUE, OUT(bits)))

#define WIDTH(bytes, bits)                                                     \
	FUNCTIONS(add, bytes, bits)                                            \
	FUNCTIONS(and, bytes, bits)                                            \
	FUNCTIONS(or, bytes, bits)                                             \
	FUNCTIONS(xor, bytes, bits)                                            \
	FUNCTIONS(write, bytes, bits)                                          \
	VALUE_FUNCTIONS(xchg, bytes, bits)                                     \
	VALUE_FUNCTIONS(add_return, bytes, bits)                               \
	FUNCTION(cmpxchg_##bytes,                                              \
		 percpu__try_cmpxchg_##bytes(h, 1, VALUE, OUT(bits)))          \
	FUNCTION(library_cmpxchg_##bytes,                                      \
		 percpu__section_cmpxchg_##bytes(section(h), 1, VALUE,         \
						 OUT(bits)))

WIDTH(1, 8)
WIDTH(2, 16)
WIDTH(4, 32)
WIDTH(8, 64)

static uint64_t top, bottom;

FUNCTION(push, percpu__try_push(h, 2, VALUE, OUT(64)))
FUNCTION(pop, percpu__try_pop(h, &top, OUT(64)))
FUNCTION(library_push, percpu__section_stack_push(section(h), 2, VALUE))
FUNCTION(library_pop, percpu__section_stack_pop(section(h), OUT(64)))
/* Within and beyond; what is claimed already is odd. */
FUNCTION(counter_add, percpu__try_counter_add(h, VALUE, 10))
FUNCTION(library_counter_add,
	 percpu__section_counter_add(section(h), VALUE, 10))
FUNCTION(counter_claim,
	 percpu__section_counter_claim(section(h), &announced_claim))
FUNCTION(gated_push,
	 percpu__try_gated_push(h, &announced_two, VALUE, OUT(64), &top))
FUNCTION(gated_pop,
	 percpu__try_gated_pop(h, &announced_none, &top, OUT(64), &bottom))
FUNCTION(library_gated_push,
	 percpu__section_gated_push(section(h), &announced_two, VALUE))
FUNCTION(library_gated_pop,
	 percpu__section_gated_pop(section(h), &announced_none, OUT(64)))
FUNCTION(bin_push,
	 percpu__section_push(section(NULL), &announced_caches, 16, 2, VALUE))
FUNCTION(bin_pop,
	 percpu__section_pop(section(NULL), &announced_caches, 16, OUT(64)))

/* To the object of @h, where the mask lets it in. */
static struct percpu__guarded *guarded(void *h)
{
	announced_guarded.handle = h;
	return &announced_guarded;
}

FUNCTION(guarded_add, percpu__try_guarded_add(guarded(h), 2, VALUE))
FUNCTION(guarded_out, percpu__try_guarded_add(guarded(h), 1, VALUE))
FUNCTION(library_guarded_add,
	 percpu__section_guarded_add(section(NULL), guarded(h), 2, VALUE))
FUNCTION(library_guarded_out,
	 percpu__section_guarded_add(section(NULL), guarded(h), 1, VALUE))

/* The wider ones leave registers in use beyond their lower 16 bytes. */
static const uint64_t values[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

#define BLOCK_FUNCTIONS(n, ...)                                                \
	FUNCTION(block_##n, percpu__try_block_##n(h, __VA_ARGS__))             \
	FUNCTION(library_block_##n,                                            \
		 (percpu__section_block_##n(section(h), values),               \
		  n == 2 ? (void)0 : percpu__section_clean()))

BLOCK_FUNCTIONS(2, 1, 2)
BLOCK_FUNCTIONS(4, 1, 2, 3, 4)
BLOCK_FUNCTIONS(8, 1, 2, 3, 4, 5, 6, 7, 8)

FUNCTION(this_slot, (announced_out = (uintptr_t)percpu__try_this(h)))

#define BLOCK(n)                                                               \
	{ "block_" #n, block_##n, 1, 8 * n, false },                           \
	{                                                                      \
		"library block_" #n, library_block_##n, 1, 8 * n, false        \
	}

#define BOTH(name, word)                                                       \
	{ #name, name, word, 0, false },                                       \
	{                                                                      \
		"library " #name, library_##name, word, 0, false               \
	}

#define OPS(bytes)                                                             \
	BOTH(add_##bytes, 1), BOTH(and_##bytes, 1), BOTH(or_##bytes, 1),       \
		BOTH(xor_##bytes, 1), BOTH(write_##bytes, 1),                  \
		BOTH(xchg_##bytes, 1), BOTH(add_return_##bytes, 1),            \
		BOTH(cmpxchg_##bytes, 1), BOTH(cmpxchg_##bytes, 2)

/* A word of 0 or 2 is the count of an empty or full stack. */
const struct announced TABLE[] = {
	OPS(1),
	OPS(2),
	OPS(4),
	OPS(8),
	BOTH(push, 1),
	BOTH(push, 2),
	BOTH(pop, 1),
	BOTH(pop, 0),
	BOTH(gated_push, 1),
	BOTH(gated_push, 2),
	BOTH(gated_pop, 1),
	BOTH(gated_pop, 0),
	BOTH(guarded_add, 1),
	BOTH(guarded_out, 1),
	BOTH(counter_add, 1),
	BOTH(counter_add, 100),
	{ "counter_claim", counter_claim, 1, 0, false },
	{ "counter_claim", counter_claim, 2, 0, false },
	BLOCK(2),
	BLOCK(4),
	BLOCK(8),
	{ "bin_push", bin_push, 1, 0, false },
	{ "bin_push", bin_push, 2, 0, false },
	{ "bin_pop", bin_pop, 1, 0, false },
	{ "bin_pop", bin_pop, 0, 0, false },
	{ "this_slot", this_slot, 1, 0, true },
	{ NULL, NULL, 0, 0, false },
};

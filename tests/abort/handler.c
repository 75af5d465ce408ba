/* SPDX-License-Identifier: MIT */
/*
 * handler.c: a signal handler that interrupts an operation, at any instruction
 * of its sections, once or again and again, and works on the same field itself,
 * loses nothing and doubles nothing; what is no sum is in some order of the
 * operation and the handlers, which its result, if any, shows too.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#define IN_HANDLER 0x3131313131313131ull

static struct mode mode;
static const struct operation *current;
static bool adds; /* else the handlers write */
static unsigned long hits;

/* Two operations, one of them inlined, on the interrupted one's field. */
#define IN_HANDLER_ON(bits)                                                    \
	do {                                                                   \
		uint##bits##_t PERCPU *p = object_field();                     \
		uint##bits##_t v = (uint##bits##_t)IN_HANDLER;                 \
                                                                               \
		if (!adds) {                                                   \
			percpu_write(p, v);                                    \
			percpu_write_u##bits(p, v);                            \
		} else {                                                       \
			percpu_add(p, v);                                      \
			percpu_add_u##bits(p, v);                              \
		}                                                              \
	} while (0)

static void hook(void)
{
	switch (current->size) {
	case 1: IN_HANDLER_ON(8); break;
	case 2: IN_HANDLER_ON(16); break;
	case 4: IN_HANDLER_ON(32); break;
	default: IN_HANDLER_ON(64); break;
	}
}

static void check_adds(const struct point *p, size_t count)
{
	struct outcome o = object_outcome(current->size);
	uint64_t want = current->value;

	for (size_t i = 0; i < count; i++)
		want += 2 * IN_HANDLER * p[i].hits;
	CHECK_EQ(o.added, narrow(want, current->size));
}

/* Whether the operation found @before and the last handler was then @after. */
static bool in_order(uint64_t before, bool after, uint64_t value)
{
	return value == (after ? narrow(IN_HANDLER, current->size) :
				 object_effect(current, before)) &&
	       object_resulted(current, before);
}

/* Where the section has ended it has committed; later on it may have failed. */
static void check_order(const struct point *p, bool interrupted)
{
	struct outcome o = object_outcome(current->size);
	uintptr_t end = section_end(p->section);
	bool may_be_before = p->hits == 0 || p->at != end;
	bool may_be_after = p->hits != 0 && p->at >= end;

	CHECK(o.changed == 1 || o.changed == 2);
	if ((may_be_before && in_order(OLD, false, o.value)) ||
	    (may_be_after && in_order(OLD, true, o.value)) ||
	    (interrupted && may_be_before &&
	     in_order(IN_HANDLER, false, o.value)) ||
	    (interrupted && may_be_after &&
	     in_order(IN_HANDLER, true, o.value)))
		return;
	FAIL("%s: %#lx, result %#lx", current->name, (unsigned long)o.value,
	     (unsigned long)operation_result);
}

/* The last of @count points is the one at which this is about the order. */
static void interrupt(struct point *p, size_t count)
{
	object_fill();
	inject_run(current, object_field(), p, count, hook);
	if (adds)
		check_adds(p, count);
	else
		check_order(&p[count - 1], count > 1 || p[0].hits != 0);
	for (size_t i = 0; i < count; i++) {
		inject_hit(current, &p[i], mode.registered);
		hits += p[i].hits;
	}
}

/* Interrupt section number @n of @chain at @at, the ones before at start. */
static void interrupt_at(const struct section *const *chain, size_t n,
			 uintptr_t at, unsigned times)
{
	struct point p[CHAIN_MAX] = { 0 };

	inject_along(p, chain, n, at);
	p[n].times = times;
	interrupt(p, n + 1);
}

static void interrupt_each(void)
{
	const struct section *chain[CHAIN_MAX];
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t length = inject_chain(current, object_field(), chain);

	adds = current->effect == EFFECT_ADD ||
	       current->effect == EFFECT_ADD_RETURN;
	for (size_t n = 0; n < length; n++) {
		size_t count = inject_instructions(chain[n], at);

		for (size_t i = 0; i < count; i++) {
			interrupt_at(chain, n, at[i], 1);
			interrupt_at(chain, n, at[i], 3);
			interrupt_at(chain, n, at[i], 1000);
		}
	}
}

int main(void)
{
	inject_start();
	mode = object_start();
	for (const struct operation *const *t = operations; *t != NULL; t++) {
		if (*t == operations_twin && !mode.twins)
			continue;
		for (current = *t; current->name != NULL; current++)
			interrupt_each();
	}
	printf("%lu interruptions\n", hits);
	CHECK(hits != 0);
	return TEST_PASS;
}

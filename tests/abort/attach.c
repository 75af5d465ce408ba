/* SPDX-License-Identifier: MIT */
/*
 * attach.c: where the library registers threads, the first operation of a
 * thread that is not yet registered does it on its way, lands in the thread's
 * slot exactly once, and may be interrupted at any instruction of its sections.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

static unsigned before; /* interruptions that came before the registration */
static unsigned aborts;

/* As a thread that started before the library was used. */
static void start_anew(void)
{
	object_unregister();
	object_pretend((uint32_t)-2, 0);
}

static void interrupt(const struct operation *op, struct point *p)
{
	start_anew();
	object_fill();
	inject_run(op, object_field(), p, 1, NULL);
	CHECK(object_once(op).slot < percpu_nr_slots());
	CHECK(object_registered());
	aborts += p->aborted;
	if (section_has(p->section, p->at))
		before += p->hits - p->aborted;
}

static void interrupt_each(const struct operation *op)
{
	const struct section *chain[CHAIN_MAX];
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t length;

	/* The section that follows the registration may be a copy of its own. */
	start_anew();
	length = inject_chain(op, object_field(), chain);
	CHECK(object_registered());
	for (size_t n = 0; n < length; n++) {
		size_t count = inject_instructions(chain[n], at);

		for (size_t i = 0; i < count; i++) {
			struct point p = { .section = chain[n],
					   .at = at[i],
					   .times = 1 };

			interrupt(op, &p);
		}
	}
}

int main(void)
{
	inject_start();
	CHECK(object_start().twins);
	for (const struct operation *const *t = operations; *t != NULL; t++)
		for (const struct operation *op = *t; op->name != NULL; op++)
			interrupt_each(op);
	printf("%u interruptions before the registration, %u aborts\n", before,
	       aborts);
	CHECK(before != 0 && aborts != 0);
	return TEST_PASS;
}

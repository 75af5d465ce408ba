/* SPDX-License-Identifier: MIT */
/*
 * attach.c: where the library registers threads, the first operation of a new
 * thread does it on its way, lands in the thread's slot exactly once, and may
 * be interrupted at any instruction of its sections.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#include <pthread.h>

struct first {
	const struct operation *op;
	struct point point;
};

static unsigned before; /* interruptions that came before the registration */
static unsigned aborts;

static void *thread(void *arg)
{
	struct first *f = arg;

	object_fill();
	inject_run(f->op, object_field(), &f->point, 1, NULL);
	CHECK(object_once(f->op).slot < percpu_nr_slots());
	return NULL;
}

static void run_thread(struct first *f)
{
	pthread_t t;

	CHECK(pthread_create(&t, NULL, thread, f) == 0);
	CHECK(pthread_join(t, NULL) == 0);
	before += f->point.hits - f->point.aborted;
	aborts += f->point.aborted;
}

static void interrupt_each(const struct operation *op)
{
	const struct section *chain[CHAIN_MAX];
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t length = inject_chain(op, object_field(), chain);

	for (size_t n = 0; n < length; n++) {
		size_t count = inject_instructions(chain[n], at);

		for (size_t i = 0; i < count; i++) {
			struct first f = { .op = op,
					   .point = { .section = chain[n],
						      .at = at[i],
						      .times = 1 } };

			run_thread(&f);
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

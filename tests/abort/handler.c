/* SPDX-License-Identifier: MIT */
/*
 * handler.c: a signal handler that interrupts an operation, at any instruction
 * of its sections, once or again and again, and works on the same field itself,
 * loses nothing and doubles nothing; of two writes the later one stands.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#define IN_HANDLER 0x3131313131313131ull

static struct mode mode;
static const struct operation *current;
static unsigned long hits;

/* Two operations, one of them inlined, on the interrupted one's field. */
#define IN_HANDLER_ON(bits)                                                    \
	do {                                                                   \
		uint##bits##_t PERCPU *p = object_field();                     \
		uint##bits##_t v = (uint##bits##_t)IN_HANDLER;                 \
                                                                               \
		if (current->is_write) {                                       \
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

/* The last write in its slot: the operation's, or a handler's after it. */
static void check_writes(const struct point *p)
{
	struct outcome o = object_outcome(current->size);
	bool after = p->hits != 0 && p->at >= section_end(p->section);

	CHECK(o.changed == 1 || o.changed == 2);
	CHECK_EQ(o.value,
		 narrow(after ? IN_HANDLER : current->value, current->size));
}

/* The last of @count points is the one at which this is about the order. */
static void interrupt(struct point *p, size_t count)
{
	object_fill();
	inject_run(current, object_field(), p, count, hook);
	if (current->is_write)
		check_writes(&p[count - 1]);
	else
		check_adds(p, count);
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

	for (size_t i = 0; i < n; i++)
		p[i] = (struct point){ .section = chain[i],
				       .at = chain[i]->start,
				       .times = 1 };
	p[n] = (struct point){ .section = chain[n], .at = at, .times = times };
	interrupt(p, n + 1);
}

static void interrupt_each(void)
{
	const struct section *chain[CHAIN_MAX];
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t length = inject_chain(current, object_field(), chain);

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

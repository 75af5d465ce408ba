/* SPDX-License-Identifier: MIT */
/*
 * bins.c: an abort at any one instruction of the sections that pop from a bin
 * of a cache and push to it leaves the bin as it was, or has the whole change,
 * and nothing beside it changes; tried again, each item is there exactly once.
 * So it is if the handler pops and pushes itself, or shuts the caches.
 */
#include "check.h"
#include "inject.h"
#include "object.h"
#include "slot.h"

#include <string.h>

#define LIMIT 4u
#define STRIDE 256u
#define AT 64u
#define NONE UINT64_MAX

struct bin {
	uint64_t count;
	uint64_t item[LIMIT];
};

static char *memory; /* of the caches of all slots, and the shared one */
static size_t len;
static struct percpu__caches caches = { .stride = STRIDE };
static unsigned long aborts;

/* What the operation at hand did, and what the handler's did. */
static enum percpu__ran ran;
static uint64_t popped;
static uint64_t pushed; /* the one after those in the bin */
static uint64_t popped_in_handler;

static uint64_t item_of(unsigned i)
{
	return (i + 1) << 4;
}

static struct percpu__section section(void)
{
	struct percpu__section s;

	CHECK(percpu__slot_section(&s, NULL));
	return s;
}

static void pop(void PERCPU *field)
{
	(void)field;
	popped = NONE;
	ran = percpu__section_pop(section(), &caches, AT, &popped);
}

static void push(void PERCPU *field)
{
	(void)field;
	ran = percpu__section_push(section(), &caches, AT, LIMIT, pushed);
}

static const struct operation pops = { "pop", pop, 8, 0, 0 };
static const struct operation pushes = { "push", push, 8, 0, 0 };

static struct bin *bin(void)
{
	return (struct bin *)(void *)(memory + percpu_this_slot() * STRIDE +
				      AT);
}

static void fill(unsigned count)
{
	memset(memory, FILL, len);
	caches.base = memory;
	popped_in_handler = NONE;
	pushed = item_of(count);
	bin()->count = count;
	for (unsigned i = 0; i < count; i++)
		bin()->item[i] = item_of(i);
}

/* Nothing beside this slot's bin has changed, and no section is armed. */
static void check_rest(void)
{
	size_t at = (size_t)((char *)bin() - memory);

	CHECK_EQ(section().area->rseq_cs, 0);
	for (size_t i = 0; i < len; i++)
		if (i - at >= sizeof(struct bin) && memory[i] != (char)FILL)
			FAIL("byte %zu beside the bin at %zu changed", i, at);
	CHECK(bin()->count <= LIMIT);
}

/* The bin is as fill() left it, but for items from @count on. */
static void check_bin(unsigned count)
{
	CHECK_EQ(bin()->count, count);
	for (unsigned i = 0; i < count; i++)
		CHECK_EQ(bin()->item[i], item_of(i));
}

/* The operation either did it all or nothing, and says which. */
static void check_outcome(const struct operation *op, unsigned count)
{
	bool done = ran == PERCPU__COMMITTED;

	check_rest();
	CHECK(ran != PERCPU__REFUSED);
	if (ran == PERCPU__MISSED)
		CHECK(caches.base == NULL ||
		      count == (op == &pops ? 0 : LIMIT));
	if (!done)
		check_bin(count);
	else if (op == &pushes)
		check_bin(count + 1);
	else
		check_bin(count - 1);
	if (done && op == &pops)
		CHECK_EQ(popped, item_of(count - 1));
}

static void run_again(const struct operation *op)
{
	for (int i = 0; i < 100 && ran == PERCPU__ABORTED; i++)
		op->run(NULL);
	CHECK(ran != PERCPU__ABORTED);
}

/* Run @op on a bin of @count items, interrupted at @at. */
static struct point interrupt(const struct operation *op,
			      const struct section *s, uintptr_t at,
			      unsigned count, void (*hook)(void))
{
	struct point p = { .section = s, .at = at, .times = 1 };

	fill(count);
	inject_run(op, NULL, &p, 1, hook);
	inject_hit(op, &p, true);
	if (p.aborted != 0)
		CHECK(ran == PERCPU__ABORTED);
	aborts += p.aborted;
	return p;
}

/* An abort and nothing else. */
static bool aborted(const struct operation *op, const struct section *s,
		    uintptr_t at, unsigned count)
{
	struct point p = interrupt(op, s, at, count, NULL);

	check_outcome(op, count);
	run_again(op);
	check_outcome(op, count);
	return p.hits != 0;
}

static void shut(void)
{
	caches.base = NULL;
}

/* Caches that somebody shuts in between are not touched any more. */
static bool aborted_and_shut(const struct operation *op,
			     const struct section *s, uintptr_t at,
			     unsigned count)
{
	struct point p = interrupt(op, s, at, count, shut);

	check_outcome(op, count);
	if (p.hits != 0 && at < section_end(s))
		CHECK(ran != PERCPU__COMMITTED);
	run_again(op);
	check_outcome(op, count);
	return p.hits != 0;
}

/* Of the handler's own: a pop, and a push of another item. */
static void work(void)
{
	enum percpu__ran r;
	uint64_t item = NONE;

	do
		r = percpu__section_pop(section(), &caches, AT, &item);
	while (r == PERCPU__ABORTED);
	if (r == PERCPU__COMMITTED)
		popped_in_handler = item;
	do
		r = percpu__section_push(section(), &caches, AT, LIMIT,
					 item_of(LIMIT + 1));
	while (r == PERCPU__ABORTED);
	CHECK(r == PERCPU__COMMITTED || bin()->count == LIMIT);
}

/* How often @item is somewhere. */
static unsigned copies(uint64_t item)
{
	unsigned n = popped == item;

	n += popped_in_handler == item;
	for (unsigned i = 0; i < bin()->count; i++)
		n += bin()->item[i] == item;
	return n;
}

/* Every item is in one place, whoever has it. */
static bool aborted_by_work(const struct operation *op, const struct section *s,
			    uintptr_t at, unsigned count)
{
	struct point p;

	popped = NONE;
	p = interrupt(op, s, at, count, work);
	run_again(op);
	check_rest();
	for (unsigned i = 0; i < count; i++)
		CHECK_EQ(copies(item_of(i)), 1);
	if (op == &pushes)
		CHECK_EQ(copies(pushed), ran == PERCPU__COMMITTED);
	CHECK(copies(item_of(LIMIT + 1)) <= 1);
	return p.hits != 0;
}

typedef bool aborted_fn(const struct operation *op, const struct section *s,
			uintptr_t at, unsigned count);

/* A time slice may end in the section and spare the breakpoint: try again. */
static bool reached(aborted_fn *try, const struct operation *op,
		    const struct section *s, uintptr_t at, unsigned count)
{
	for (int i = 0; i < 20; i++)
		if (try(op, s, at, count))
			return true;
	return false;
}

/* With items and room each instruction is reached, else the first few. */
static void interrupt_each(aborted_fn *try, const struct operation *op,
			   const struct section *s, unsigned count)
{
	bool commits = count != (op == &pops ? 0 : LIMIT);
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t n = inject_instructions(s, at);
	unsigned inside = 0;

	for (size_t i = 0; i < n; i++) {
		bool hit = reached(try, op, s, at[i], count);

		if (!section_has(s, at[i]))
			continue;
		inside += hit;
		if (commits && !hit)
			FAIL("%s: instruction at %+ld is never reached",
			     op->name, (long)(at[i] - s->start));
	}
	CHECK(inside >= 2);
}

static void interrupt_all(const struct operation *op)
{
	const struct section *chain[CHAIN_MAX];

	fill(2);
	CHECK_EQ(inject_chain(op, NULL, chain), 1);
	for (unsigned count = 0; count <= LIMIT; count++) {
		interrupt_each(aborted, op, chain[0], count);
		interrupt_each(aborted_and_shut, op, chain[0], count);
		interrupt_each(aborted_by_work, op, chain[0], count);
	}
}

int main(void)
{
	inject_start();
	CHECK(object_start().twins);
	len = (percpu_nr_slots() + 1) * STRIDE;
	memory = aligned_alloc(STRIDE, len);
	CHECK(memory != NULL);
	interrupt_all(&pops);
	interrupt_all(&pushes);
	free(memory);
	printf("%lu aborts\n", aborts);
	CHECK(aborts != 0);
	return TEST_PASS;
}

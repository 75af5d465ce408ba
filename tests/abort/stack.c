/* SPDX-License-Identifier: MIT */
/*
 * stack.c: an abort at any one instruction of the sections that push to a stack
 * and pop from it, inlined or in the library, with or without a handler that
 * does the same, leaves each item in one place, changes nothing beside this
 * CPU's stack, and leaves rseq_cs at 0; so does a full or empty one. With
 * STACK_GATED: the same of stacks that can be shut; and if the handler shuts
 * them, nothing is pushed or popped.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#include <errno.h>
#include <string.h>

#define CAPACITY 3u
#define ROOM (CAPACITY + 1) /* one beyond it must never be touched */
#define PUSHED 0x77ull
#define IN_HANDLER 0x99ull
#define NONE UINT64_MAX

struct stack {
	uint8_t before[24];
	uint64_t count;
	uint64_t item[ROOM];
};

static struct stack PERCPU *object;
static struct mode mode;
static unsigned long aborts;

/* What the operation at hand answered and popped, and the handler's. */
static int answer;
static uint64_t popped;
static uint64_t popped_in_handler[CHAIN_MAX];
static unsigned handled; /* times */
static unsigned pushed_in_handler;

static struct percpu_stack PERCPU *stack(void)
{
	return (struct percpu_stack PERCPU *)&object->count;
}

#ifdef STACK_GATED
static struct percpu_cache gate = { .capacity = CAPACITY };

static int try_push(struct percpu_stack PERCPU *s, uint64_t item)
{
	uint64_t top;
	uint64_t n;

	if (percpu__try_gated_push((void PERCPU *)s, &gate.capacity, item, &n,
				   &top))
		return n < top ? 0 : -ENOSPC;
	return percpu__magazine_push((void PERCPU *)s, &gate.capacity, item) ?
		       0 :
		       -ENOSPC;
}

static int try_pop(struct percpu_stack PERCPU *s, uint64_t *item)
{
	uint64_t bottom;
	uint64_t top;
	uint64_t n;

	if (!percpu__try_gated_pop((void PERCPU *)s, &gate.floor, &top, &n,
				   &bottom))
		return percpu__magazine_pop((void PERCPU *)s, &gate.floor,
					    item) ?
			       0 :
			       -ENOENT;
	if (n <= bottom)
		return -ENOENT;
	*item = top;
	return 0;
}

static void set_gate(uint64_t capacity, uint64_t floor)
{
	gate.capacity = capacity;
	gate.floor = floor;
}
#else
static int try_push(struct percpu_stack PERCPU *s, uint64_t item)
{
	return percpu_push(s, CAPACITY, item);
}

static int try_pop(struct percpu_stack PERCPU *s, uint64_t *item)
{
	return percpu_pop(s, item);
}
#endif

static __attribute__((noinline)) void push(void PERCPU *h)
{
	answer = try_push((struct percpu_stack PERCPU *)h, PUSHED);
}

static __attribute__((noinline)) void pop(void PERCPU *h)
{
	answer = try_pop((struct percpu_stack PERCPU *)h, &popped);
}

static const struct operation pushes = { "push", push, 8, EFFECT_ADD, 0 };
static const struct operation pops = { "pop", pop, 8, EFFECT_ADD, 0 };

static uint64_t item_of(uint64_t i)
{
	return (i + 1) << 4;
}

/* @count items in this thread's slot, none elsewhere. */
static void fill(uint64_t count)
{
	struct stack *s;

	percpu_for_each_slot (s, object) {
		memset(s, FILL, sizeof(*s));
		s->count = 0;
	}
	s = percpu_this_ptr(object);
	s->count = count;
	for (uint64_t i = 0; i < count; i++)
		s->item[i] = item_of(i);
	popped = NONE;
	handled = 0;
	pushed_in_handler = 0;
}

static void handler(void)
{
	uint64_t *item = &popped_in_handler[handled++];

	*item = NONE;
	pushed_in_handler += try_push(stack(), IN_HANDLER) == 0;
	try_pop(stack(), item);
}

static unsigned copies(uint64_t item)
{
	unsigned n = popped == item;
	struct stack *s;

	for (unsigned i = 0; i < handled; i++)
		n += popped_in_handler[i] == item;
	percpu_for_each_slot (s, object)
		for (uint64_t i = 0; i < s->count; i++)
			n += s->item[i] == item;
	return n;
}

static void check_rest(void)
{
	struct stack *s;
	struct stack *mine = percpu_this_ptr(object);

	/* object_outcome() looks at rseq_cs, and at an object of its own. */
	CHECK_EQ(object_outcome(8).changed, 0);
	percpu_for_each_slot (s, object) {
		for (size_t i = 0; i < sizeof(s->before); i++)
			CHECK_EQ(s->before[i], FILL);
		CHECK_EQ(s->item[CAPACITY], OLD);
		CHECK(s->count <= (s == mine ? CAPACITY : 0));
	}
}

static void check_items(const struct operation *op, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		CHECK_EQ(copies(item_of(i)), 1);
	CHECK_EQ(copies(IN_HANDLER), pushed_in_handler);
	if (op == &pushes) {
		CHECK(answer == 0 || answer == -ENOSPC);
		CHECK_EQ(copies(PUSHED), answer == 0);
	} else {
		CHECK(answer == 0 || answer == -ENOENT);
		CHECK_EQ(popped != NONE, answer == 0);
	}
}

/* Without a handler the answer is known. */
static void check_answer(const struct operation *op, uint64_t count)
{
	if (op == &pushes)
		CHECK_EQ(answer == 0, mode.twins && count < CAPACITY);
	else
		CHECK_EQ(answer == 0, mode.twins && count > 0);
}

/* Interrupt section @n of @chain at @at, those before it at their start. */
static bool interrupt(const struct operation *op,
		      const struct section *const *chain, size_t n,
		      uintptr_t at, uint64_t count, void (*hook)(void))
{
	struct point p[CHAIN_MAX] = { 0 };

	inject_along(p, chain, n, at);
	fill(count);
	inject_run(op, stack(), p, n + 1, hook);
	check_rest();
	check_items(op, count);
	if (hook == NULL)
		check_answer(op, count);
	aborts += p[n].aborted;
	return inject_hit(op, &p[n], mode.registered);
}

/* A time slice may end in the section and spare the breakpoint: try again. */
static bool reached(const struct operation *op,
		    const struct section *const *chain, size_t n, uintptr_t at,
		    uint64_t count, void (*hook)(void))
{
	for (int i = 0; i < 20; i++)
		if (interrupt(op, chain, n, at, count, hook))
			return true;
	return false;
}

#ifdef STACK_GATED
static void shut(void)
{
	set_gate(0, UINT64_MAX);
}

/* Whoever was aborted finds it shut. */
static void interrupt_shut(const struct operation *op,
			   const struct section *const *chain, size_t n,
			   uintptr_t at, uint64_t count)
{
	struct point p[CHAIN_MAX] = { 0 };

	inject_along(p, chain, n, at);
	fill(count);
	inject_run(op, stack(), p, n + 1, shut);
	check_rest();
	check_items(op, count);
	if (p[n].aborted) {
		CHECK(answer != 0);
		CHECK_EQ(((struct stack *)percpu_this_ptr(object))->count,
			 count);
	}
	set_gate(CAPACITY, 0);
}
#else
#define interrupt_shut(...) ((void)0)
#endif

static void interrupt_section(const struct operation *op,
			      const struct section *const *chain, size_t n,
			      bool commits)
{
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t instructions = inject_instructions(chain[n], at);

	for (uint64_t count = 0; count <= CAPACITY; count++) {
		bool all = commits && count != (op == &pops ? 0 : CAPACITY);

		for (size_t i = 0; i < instructions; i++) {
			bool hit = reached(op, chain, n, at[i], count, NULL);

			interrupt(op, chain, n, at[i], count, handler);
			interrupt_shut(op, chain, n, at[i], count);
			if (all && !hit && section_has(chain[n], at[i]))
				FAIL("%s: instruction at %+ld is never reached",
				     op->name, (long)(at[i] - chain[n]->start));
		}
	}
}

static void interrupt_each(const struct operation *op)
{
	const struct section *chain[CHAIN_MAX];
	size_t length;

	fill(1);
	length = inject_chain(op, stack(), chain);
	for (size_t n = 0; n < length; n++)
		interrupt_section(op, chain, n,
				  n + 1 == length ? mode.twins : mode.inlined);
}

int main(void)
{
	inject_start();
	mode = object_start();
	object_fill();
	object = percpu_new(struct stack);
	CHECK(object != NULL);
	interrupt_each(&pushes);
	interrupt_each(&pops);
	printf("%lu aborts\n", aborts);
	CHECK((aborts != 0) == mode.registered);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * stack.c: push and pop as functions, and the ways out of their inlined
 * sections. As in twins.c, up to the end: no thread uses a stack by atomics, of
 * which one cannot move an item and its count at once. So where no section
 * runs, or each is aborted, the stack is full to a push and empty to a pop.
 */
#include "again.h"
#include "slot.h"

#include <errno.h>
#include <percpu/arch.h>
#include <percpu/stack.h>

static __attribute__((noinline)) int slow_push(void *s, uint64_t capacity,
					       uint64_t item)
{
	struct percpu__section section;
	enum percpu__ran ran;
	unsigned n = 0;

	if (!percpu__slot_section(&section, s))
		return -ENOSPC;
	do {
		ran = percpu__section_stack_push(section, capacity, item);
	} while (percpu__again(ran, n++));
	return ran == PERCPU__COMMITTED ? 0 : -ENOSPC;
}

static __attribute__((noinline)) int slow_pop(void *s, uint64_t *item)
{
	struct percpu__section section;
	enum percpu__ran ran;
	unsigned n = 0;
	uint64_t top;

	if (!percpu__slot_section(&section, s))
		return -ENOENT;
	do {
		ran = percpu__section_stack_pop(section, &top);
	} while (percpu__again(ran, n++));
	if (ran != PERCPU__COMMITTED)
		return -ENOENT;
	*item = top;
	return 0;
}

int percpu_push_u64(struct percpu_stack *s, uint64_t capacity, uint64_t item)
{
	uint64_t n;

	if (percpu__rt.limit != 0 && percpu__try_push(s, capacity, item, &n))
		return n < capacity ? 0 : -ENOSPC;
	return slow_push(s, capacity, item);
}

int percpu_pop_u64(struct percpu_stack *s, uint64_t *item)
{
	uint64_t top;
	uint64_t n;

	if (percpu__rt.limit == 0 || !percpu__try_pop(s, &top, &n))
		return slow_pop(s, item);
	if (n == 0)
		return -ENOENT;
	*item = top;
	return 0;
}

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_STACK_H
#define PERCPU_STACK_H
/*
 * stack.h: bounded stacks of words, one per CPU: what a cache of free objects
 * or a list of work to do is made of.
 *
 *   struct percpu_stack PERCPU *s = percpu_stack_new(capacity);
 *
 *   if (percpu_pop(s, &item) != 0)
 *           item = from where all CPUs share;
 *   ...
 *   if (percpu_push(s, capacity, item) != 0)
 *           to where all CPUs share, item;
 *
 * Effect: each item that was pushed is popped once, by a thread that runs on
 * the CPU where it was pushed; last in, first out. A thread that runs no
 * sequence (percpu_backend() says so), or whose sequences keep being aborted,
 * finds the stack full and empty: there is none in the shared slot.
 * Errors: percpu_push: -ENOSPC, this CPU has @capacity items; percpu_pop:
 * -ENOENT, it has none, and *item is unchanged.
 * Context: any, in signal handlers and forked children too.
 * Ordering: none between CPUs. What a thread wrote before a push, another reads
 * after a pop on that CPU, as the kernel's switch between them orders it.
 * Items on other CPUs are read, and taken, through percpu_ptr() while no thread
 * pushes or pops: at the end, say, before percpu_free().
 * Source: Linux, the per-CPU object caches of slub; librseq's lists.
 */
#include <errno.h>
#include <percpu/alloc.h>
#include <percpu/arch.h>
#include <percpu/base.h>

PERCPU__DECLS_BEGIN

/*
 * A CPU's items are item[0] to item[count - 1]; there is room for as many as
 * the capacity, which C, unlike C++, could write as item[].
 */
struct percpu_stack {
	uint64_t count;
	uint64_t item[1];
};

/* The functions, and the ways out of the inlined sections. */
int percpu_push_u64(struct percpu_stack PERCPU *s, uint64_t capacity,
		    uint64_t item);
int percpu_pop_u64(struct percpu_stack PERCPU *s, uint64_t *item);

/*
 * Empty stacks for @capacity items on each CPU, for percpu_free(); NULL, errno
 * ENOMEM, if that is more than percpu_max_size() or memory is short.
 */
static inline struct percpu_stack PERCPU *percpu_stack_new(size_t capacity)
{
	size_t items = offsetof(struct percpu_stack, item);
	size_t most = (SIZE_MAX - items) / sizeof(uint64_t);
	size_t n = capacity < most ? capacity : most;

	return (struct percpu_stack PERCPU *)percpu_alloc(
		items + n * sizeof(uint64_t), sizeof(uint64_t));
}

/* Put @item on this CPU's stack: 0, or -ENOSPC. */
PERCPU__INLINE int percpu_push(struct percpu_stack PERCPU *s, uint64_t capacity,
			       uint64_t item)
{
	uint64_t n;

	if (!percpu__try_push((void PERCPU *)s, capacity, item, &n))
		return percpu_push_u64(s, capacity, item);
	return n < capacity ? 0 : -ENOSPC;
}

/* Take the last item off this CPU's stack to *item: 0, or -ENOENT. */
PERCPU__INLINE int percpu_pop(struct percpu_stack PERCPU *s, uint64_t *item)
{
	uint64_t top;
	uint64_t n;

	if (!percpu__try_pop((void PERCPU *)s, &top, &n))
		return percpu_pop_u64(s, item);
	if (n == 0)
		return -ENOENT;
	*item = top;
	return 0;
}

PERCPU__DECLS_END
#endif

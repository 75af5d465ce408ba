/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_GATED_H
#define PERCPU_ARCH_X86_64_GATED_H
/*
 * x86_64_gated.h: push and pop on a stack that can be shut from afar, for
 * cache.h. As x86_64_stack.h, but that the bounds are loaded in the sequence:
 *
 *   push   top = *capacity; n = count; if (n >= top) end without a commit
 *   pop    bottom = *floor; n = count; if (n <= bottom) end without a commit
 *
 * Who stores 0 to *capacity and UINT64_MAX to *floor, and fences, has the
 * stacks of all CPUs to itself. The bound is loaded before the count, so a
 * sequence that finds the stack open finds it as it was left when it opened.
 */
#include <percpu/arch/x86_64_section.h>

PERCPU__DECLS_BEGIN

/* @v is on the stack if *n, the count that was found, is below *top. */
PERCPU__INLINE bool percpu__try_gated_push(void PERCPU *h,
					   const uint64_t *capacity, uint64_t v,
					   uint64_t *n, uint64_t *top)
{
	bool failed;

	PERCPU__SECTION_VALUE(
		"movq %[capacity], %[top]\n\t"
		"movq (%%rax), %[n]\n\t"
		"cmpq %[n], %[top]\n\t"
		"jbe 775f\n\t"
		"movq %[v], 8(%%rax,%[n],8)\n\t"
		"leaq 1(%[n]), %%rcx\n\t"
		"movq %%rcx, (%%rax)",
		(PERCPU__FAILED(failed), [n] "=&r"(*n), [top] "=&r"(*top)),
		(PERCPU__WHERE(h), [capacity] "m"(*capacity), [v] "r"(v)));
	return !failed;
}

/* *v is an item if *n, the count that was found, is above *bottom. */
PERCPU__INLINE bool percpu__try_gated_pop(void PERCPU *h, const uint64_t *floor,
					  uint64_t *v, uint64_t *n,
					  uint64_t *bottom)
{
	bool failed;

	PERCPU__SECTION_VALUE("movq %[floor], %[bottom]\n\t"
			      "movq (%%rax), %[n]\n\t"
			      "cmpq %[bottom], %[n]\n\t"
			      "jbe 775f\n\t"
			      "movq (%%rax,%[n],8), %[v]\n\t"
			      "leaq -1(%[n]), %%rcx\n\t"
			      "movq %%rcx, (%%rax)",
			      (PERCPU__FAILED(failed), [n] "=&r"(*n),
			       [v] "=&r"(*v), [bottom] "=&r"(*bottom)),
			      (PERCPU__WHERE(h), [floor] "m"(*floor)));
	return !failed;
}

PERCPU__DECLS_END
#endif

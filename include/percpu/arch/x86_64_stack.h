/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_STACK_H
#define PERCPU_ARCH_X86_64_STACK_H
/*
 * x86_64_stack.h: the sequences of stack.h. Of a stack { count, item[] }:
 *
 *   push   n = count; if (n >= capacity) end without a commit
 *          item[n] = v;                          commit count = n + 1
 *   pop    n = count; if (n == 0) end without a commit
 *          v = item[n - 1];                      commit count = n - 1
 *
 * A store to item[n] that no commit follows does no harm: nobody reads what is
 * beyond count, and whoever pushes next writes it first.
 */
#include <percpu/arch/x86_64_section.h>

PERCPU__DECLS_BEGIN

/* *n is the count that was found: @v is on the stack if it was below. */
PERCPU__INLINE bool percpu__try_push(void PERCPU *h, uint64_t capacity,
				     uint64_t v, uint64_t *n)
{
	bool failed;

	PERCPU__SECTION_VALUE(
		"movq (%%rax), %[n]\n\t"
		"cmpq %[n], %[capacity]\n\t"
		"jbe 775f\n\t"
		"movq %[v], 8(%%rax,%[n],8)\n\t"
		"leaq 1(%[n]), %%rcx\n\t"
		"movq %%rcx, (%%rax)",
		(PERCPU__FAILED(failed), [n] "=&r"(*n)),
		(PERCPU__WHERE(h), [capacity] "r"(capacity), [v] "r"(v)));
	return !failed;
}

/* *n is the count that was found: *v is an item if that was not 0. */
PERCPU__INLINE bool percpu__try_pop(void PERCPU *h, uint64_t *v, uint64_t *n)
{
	bool failed;

	PERCPU__SECTION_VALUE(
		"movq (%%rax), %[n]\n\t"
		"testq %[n], %[n]\n\t"
		"jz 775f\n\t"
		"movq (%%rax,%[n],8), %[v]\n\t"
		"leaq -1(%[n]), %%rcx\n\t"
		"movq %%rcx, (%%rax)",
		(PERCPU__FAILED(failed), [n] "=&r"(*n), [v] "=&r"(*v)),
		(PERCPU__WHERE(h)));
	return !failed;
}

PERCPU__DECLS_END
#endif

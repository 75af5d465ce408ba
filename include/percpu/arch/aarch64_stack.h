/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_STACK_H
#define PERCPU_ARCH_AARCH64_STACK_H
/*
 * aarch64_stack.h: the sequences of stack.h. Of a stack { count, item[] }:
 *
 *   push   n = count; if (n >= capacity) end without a commit
 *          item[n] = v;                          commit count = n + 1
 *   pop    n = count; if (n == 0) end without a commit
 *          v = item[n - 1];                      commit count = n - 1
 *
 * A store to item[n] that no commit follows does no harm: nobody reads what is
 * beyond count, and whoever pushes next writes it first. The two stores of a
 * push need no order: other CPUs do not look, and this one sees its own.
 */
#include <percpu/arch/aarch64_section.h>

PERCPU__DECLS_BEGIN

/* *n is the count that was found: @v is on the stack if it was below. */
PERCPU__INLINE bool percpu__try_push(void PERCPU *h, uint64_t capacity,
				     uint64_t v, uint64_t *n)
{
	uint32_t failed;

	PERCPU__SECTION_VALUE(
		"ldr %[n], [x15]\n\t"
		"cmp %[n], %[capacity]\n\t"
		"b.hs 775f\n\t"
		"add x16, %[n], #1\n\t"
		"str %x[v], [x15, x16, lsl #3]\n\t"
		"str x16, [x15]",
		(PERCPU__FAILED(failed), [n] "=&r"(*n)),
		(PERCPU__WHERE(h), [capacity] "rI"(capacity), [v] "rZ"(v)));
	return failed == 0;
}

/* *n is the count that was found: *v is an item if that was not 0. */
PERCPU__INLINE bool percpu__try_pop(void PERCPU *h, uint64_t *v, uint64_t *n)
{
	uint32_t failed;

	PERCPU__SECTION_VALUE(
		"ldr %[n], [x15]\n\t"
		"cbz %[n], 775f\n\t"
		"ldr %[v], [x15, %[n], lsl #3]\n\t"
		"sub x16, %[n], #1\n\t"
		"str x16, [x15]",
		(PERCPU__FAILED(failed), [n] "=&r"(*n), [v] "=&r"(*v)),
		(PERCPU__WHERE(h)));
	return failed == 0;
}

PERCPU__DECLS_END
#endif

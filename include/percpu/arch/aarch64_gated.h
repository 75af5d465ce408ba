/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_GATED_H
#define PERCPU_ARCH_AARCH64_GATED_H
/*
 * aarch64_gated.h: push and pop on a stack that can be shut from afar, for
 * cache.h. As aarch64_stack.h, but that the bounds are loaded in the sequence:
 *
 *   push   top = *capacity; n = count; if (n >= top) end without a commit
 *   pop    bottom = *floor; n = count; if (n <= bottom) end without a commit
 *
 * Who stores 0 to *capacity and UINT64_MAX to *floor, and fences, has the
 * stacks of all CPUs to itself. The bound is loaded first, by an acquire that
 * pairs with the release that opens the stacks again: a sequence that finds
 * them open finds the count as it was left then.
 */
#include <percpu/arch/aarch64_section.h>

PERCPU__DECLS_BEGIN

/* @v is on the stack if *n, the count that was found, is below *top. */
PERCPU__INLINE bool percpu__try_gated_push(void PERCPU *h,
					   const uint64_t *capacity, uint64_t v,
					   uint64_t *n, uint64_t *top)
{
	uint32_t failed;

	PERCPU__SECTION_VALUE(
		"ldar %[top], [%[capacity]]\n\t"
		"ldr %[n], [x15]\n\t"
		"cmp %[n], %[top]\n\t"
		"b.hs 775f\n\t"
		"add x16, %[n], #1\n\t"
		"str %x[v], [x15, x16, lsl #3]\n\t"
		"str x16, [x15]",
		(PERCPU__FAILED(failed), [n] "=&r"(*n), [top] "=&r"(*top)),
		(PERCPU__WHERE(h), [capacity] "r"(capacity), [v] "rZ"(v)));
	return failed == 0;
}

/* *v is an item if *n, the count that was found, is above *bottom. */
PERCPU__INLINE bool percpu__try_gated_pop(void PERCPU *h, const uint64_t *floor,
					  uint64_t *v, uint64_t *n,
					  uint64_t *bottom)
{
	uint32_t failed;

	PERCPU__SECTION_VALUE("ldar %[bottom], [%[floor]]\n\t"
			      "ldr %[n], [x15]\n\t"
			      "cmp %[n], %[bottom]\n\t"
			      "b.ls 775f\n\t"
			      "ldr %[v], [x15, %[n], lsl #3]\n\t"
			      "sub x16, %[n], #1\n\t"
			      "str x16, [x15]",
			      (PERCPU__FAILED(failed), [n] "=&r"(*n),
			       [v] "=&r"(*v), [bottom] "=&r"(*bottom)),
			      (PERCPU__WHERE(h), [floor] "r"(floor)));
	return failed == 0;
}

PERCPU__DECLS_END
#endif

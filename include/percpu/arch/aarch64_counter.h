/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_COUNTER_H
#define PERCPU_ARCH_AARCH64_COUNTER_H
/*
 * aarch64_counter.h: the sequence of counter.h. Of a slot { total, told }:
 *
 *   n = total + v; if (|2 * n - told| > 2 * reach) end without a commit
 *                                                commit total = n
 *
 * told is even, or 1 more while the slot is being carried. One unsigned compare
 * sees both ends: 2 * n - told + 2 * reach + 1 is within 0 and 4 * reach + 1,
 * modulo 2^64. But for that 1, nobody changes told while this CPU is in here
 * (DESIGN.md, section 12).
 */
#include <percpu/arch/aarch64_section.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE bool percpu__try_counter_add(void PERCPU *h, uint64_t v,
					    uint64_t reach)
{
	__asm__ goto(PERCPU__ARM PERCPU__SLOT
		     "ldr x16, [x15]\n\t"
		     "add x16, x16, %[v]\n\t"
		     "ldr x17, [x15, #8]\n\t"
		     "sub x17, x16, x17\n\t"
		     "add x17, x17, x16\n\t"
		     "add x17, x17, %[below]\n\t"
		     "cmp x17, %[span]\n\t"
		     "b.hi 777f\n\t"
		     "str x16, [x15]" PERCPU__DISARM PERCPU__ABORT
		     :
		     : PERCPU__WHERE(h), [v] "rI"(v),
		       [below] "rI"(2 * reach + 1), [span] "rI"(4 * reach + 1)
		     : "x14", "x15", "x16", "x17", "cc", "memory"
		     : slow);
	return true;
slow:
	return false;
}

PERCPU__DECLS_END
#endif

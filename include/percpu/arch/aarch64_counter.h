/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_COUNTER_H
#define PERCPU_ARCH_AARCH64_COUNTER_H
/*
 * aarch64_counter.h: the sequence of counter.h. Of a slot { total, carried }:
 *
 *   n = total + v; if (|n - carried| > reach) end without a commit
 *                                                commit total = n
 *
 * One unsigned compare sees both ends: n - carried + reach is within 0 and
 * 2 * reach, modulo 2^64. carried may be changed by another CPU meanwhile: the
 * value before, and the one after, are as good (DESIGN.md, section 12).
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
		     "add x17, x17, %[reach]\n\t"
		     "cmp x17, %[span]\n\t"
		     "b.hi 777f\n\t"
		     "str x16, [x15]" PERCPU__DISARM PERCPU__ABORT
		     :
		     : PERCPU__WHERE(h), [v] "rI"(v), [reach] "rI"(reach),
		       [span] "rI"(2 * reach)
		     : "x14", "x15", "x16", "x17", "cc", "memory"
		     : slow);
	return true;
slow:
	return false;
}

PERCPU__DECLS_END
#endif

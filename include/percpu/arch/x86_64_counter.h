/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_COUNTER_H
#define PERCPU_ARCH_X86_64_COUNTER_H
/*
 * x86_64_counter.h: the sequence of counter.h. Of a slot { total, told }:
 *
 *   n = total + v; if (|2 * n - told| > 2 * reach) end without a commit
 *                                                commit total = n
 *
 * told is even, or 1 more while the slot is being carried. One unsigned compare
 * sees both ends: 2 * n - told + 2 * reach + 1 is within 0 and 4 * reach + 1,
 * modulo 2^64. But for that 1, nobody changes told while this CPU is in here
 * (DESIGN.md, section 12).
 */
#include <percpu/arch/x86_64_section.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE bool percpu__try_counter_add(void PERCPU *h, uint64_t v,
					    uint64_t reach)
{
	__asm__ goto(PERCPU__ARM PERCPU__SLOT
		     "movq (%%rax), %%rcx\n\t"
		     "addq %[v], %%rcx\n\t"
		     "leaq (%%rcx,%%rcx), %%rdx\n\t"
		     "subq 8(%%rax), %%rdx\n\t"
		     "addq %[below], %%rdx\n\t"
		     "cmpq %[span], %%rdx\n\t"
		     "ja 774f\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__DISARM PERCPU__ABORT
		     :
		     : PERCPU__WHERE(h), [v] "er"(v),
		       [below] "er"(2 * reach + 1), [span] "er"(4 * reach + 1)
		     : "rax", "rcx", "rdx", "cc", "memory"
		     : slow);
	return true;
slow:
	return false;
}

PERCPU__DECLS_END
#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_COUNTER_H
#define PERCPU_ARCH_X86_64_COUNTER_H
/*
 * x86_64_counter.h: the sequence of counter.h. Of a slot { total, carried }:
 *
 *   n = total + v; if (|n - carried| > reach) end without a commit
 *                                                commit total = n
 *
 * One unsigned compare sees both ends: n - carried + reach is within 0 and
 * 2 * reach, modulo 2^64. carried may be changed by another CPU meanwhile: the
 * value before, and the one after, are as good (DESIGN.md, section 12).
 */
#include <percpu/arch/x86_64_section.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE bool percpu__try_counter_add(void PERCPU *h, uint64_t v,
					    uint64_t reach)
{
	__asm__ goto(PERCPU__ARM PERCPU__SLOT
		     "movq (%%rax), %%rcx\n\t"
		     "addq %[v], %%rcx\n\t"
		     "movq %%rcx, %%rdx\n\t"
		     "subq 8(%%rax), %%rdx\n\t"
		     "addq %[reach], %%rdx\n\t"
		     "cmpq %[span], %%rdx\n\t"
		     "ja 774f\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__DISARM PERCPU__ABORT
		     :
		     : PERCPU__WHERE(h), [v] "er"(v), [reach] "er"(reach),
		       [span] "er"(2 * reach)
		     : "rax", "rcx", "rdx", "cc", "memory"
		     : slow);
	return true;
slow:
	return false;
}

PERCPU__DECLS_END
#endif

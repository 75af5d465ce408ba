/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_X86_64_COUNTER_H
#define PERCPU_SRC_SECTION_X86_64_COUNTER_H
/*
 * section_x86_64_counter.h: the sequence of percpu/arch/x86_64_counter.h, run
 * by the library, and the one that claims a slot's carry (counter.h here):
 *
 *   if (busy != 0) goto missed;                  commit busy = 1
 *
 * Where the slot is goes to *out, the caller's own: written for nothing, it
 * does no harm. Included by section_x86_64.h.
 */
static inline enum percpu__ran
percpu__section_counter_add(struct percpu__section s, uint64_t v,
			    uint64_t reach)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "movq (%%rax), %%rcx\n\t"
		     "addq %[v], %%rcx\n\t"
		     "movq %%rcx, %%rdx\n\t"
		     "subq 8(%%rax), %%rdx\n\t"
		     "addq %[reach], %%rdx\n\t"
		     "cmpq %[span], %%rdx\n\t"
		     "ja %l[missed]\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [v] "r"(v), [reach] "r"(reach),
		       [span] "r"(2 * reach)
		     : "rax", "rcx", "rdx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

static inline enum percpu__ran
percpu__section_counter_claim(struct percpu__section s, void *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "movq %%rax, (%[out])\n\t"
		     "cmpq $0, 24(%%rax)\n\t"
		     "jne %l[missed]\n\t"
		     "movq $1, 24(%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [out] "r"(out)
		     : "rax", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

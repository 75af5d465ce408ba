/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_X86_64_COUNTER_H
#define PERCPU_SRC_SECTION_X86_64_COUNTER_H
/*
 * section_x86_64_counter.h: the sequence of percpu/arch/x86_64_counter.h, run
 * by the library, and the one that claims a slot's carry (counter.h here):
 *
 *   if (told & 1) goto missed;                   commit told = 2 * total + 1
 *
 * Where the slot is, and told before, go to *out, the caller's own: written for
 * nothing, they do no harm. Included by section_x86_64.h.
 */
static inline enum percpu__ran
percpu__section_counter_add(struct percpu__section s, uint64_t v,
			    uint64_t reach)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "movq (%%rax), %%rcx\n\t"
		     "addq %[v], %%rcx\n\t"
		     "leaq (%%rcx,%%rcx), %%rdx\n\t"
		     "subq 8(%%rax), %%rdx\n\t"
		     "addq %[below], %%rdx\n\t"
		     "cmpq %[span], %%rdx\n\t"
		     "ja %l[missed]\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [v] "r"(v), [below] "r"(2 * reach + 1),
		       [span] "r"(4 * reach + 1)
		     : "rax", "rcx", "rdx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

static inline enum percpu__ran
percpu__section_counter_claim(struct percpu__section s,
			      struct percpu__counter_claim *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "movq %%rax, (%[out])\n\t"
		     "movq 8(%%rax), %%rcx\n\t"
		     "movq %%rcx, 8(%[out])\n\t"
		     "testb $1, %%cl\n\t"
		     "jnz %l[missed]\n\t"
		     "movq (%%rax), %%rcx\n\t"
		     "leaq 1(%%rcx,%%rcx), %%rcx\n\t"
		     "movq %%rcx, 8(%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [out] "r"(out)
		     : "rax", "rcx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_X86_64_GATED_H
#define PERCPU_SRC_SECTION_X86_64_GATED_H
/*
 * section_x86_64_gated.h: the sequences of percpu/arch/x86_64_gated.h, run by
 * the library. Included by section.h.
 */

/* Missed: the stack has *capacity items. */
static inline enum percpu__ran
percpu__section_gated_push(struct percpu__section s, const uint64_t *capacity,
			   uint64_t item)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "movq (%[capacity]), %%rdx\n\t"
		     "movq (%%rax), %%rcx\n\t"
		     "cmpq %%rdx, %%rcx\n\t"
		     "jae %l[missed]\n\t"
		     "movq %[item], 8(%%rax,%%rcx,8)\n\t"
		     "incq %%rcx\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [capacity] "r"(capacity), [item] "r"(item)
		     : "rax", "rcx", "rdx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

/* Missed: the stack has *floor items or less. */
static inline enum percpu__ran
percpu__section_gated_pop(struct percpu__section s, const uint64_t *floor,
			  uint64_t *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "movq (%[floor]), %%rdx\n\t"
		     "movq (%%rax), %%rcx\n\t"
		     "cmpq %%rdx, %%rcx\n\t"
		     "jbe %l[missed]\n\t"
		     "subq $1, %%rcx\n\t"
		     "movq 8(%%rax,%%rcx,8), %%rdx\n\t"
		     "movq %%rdx, (%[out])\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [floor] "r"(floor), [out] "r"(out)
		     : "rax", "rcx", "rdx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

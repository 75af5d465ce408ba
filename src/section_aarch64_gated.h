/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_AARCH64_GATED_H
#define PERCPU_SRC_SECTION_AARCH64_GATED_H
/*
 * section_aarch64_gated.h: the sequences of percpu/arch/aarch64_gated.h, run by
 * the library. Included by section.h.
 */

/* Missed: the stack has *capacity items. */
static inline enum percpu__ran
percpu__section_gated_push(struct percpu__section s, const uint64_t *capacity,
			   uint64_t item)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "ldar x17, [%[capacity]]\n\t"
		     "ldr x16, [x15]\n\t"
		     "cmp x16, x17\n\t"
		     "b.hs %l[missed]\n\t"
		     "add x16, x16, #1\n\t"
		     "str %[item], [x15, x16, lsl #3]\n\t"
		     "str x16, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [capacity] "r"(capacity), [item] "r"(item)
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

/* Missed: the stack has *floor items or less. */
static inline enum percpu__ran
percpu__section_gated_pop(struct percpu__section s, const uint64_t *floor,
			  uint64_t *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "ldar x17, [%[floor]]\n\t"
		     "ldr x16, [x15]\n\t"
		     "cmp x16, x17\n\t"
		     "b.ls %l[missed]\n\t"
		     "ldr x17, [x15, x16, lsl #3]\n\t"
		     "sub x16, x16, #1\n\t"
		     "str x17, [%[out]]\n\t"
		     "str x16, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [floor] "r"(floor), [out] "r"(out)
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_AARCH64_COUNTER_H
#define PERCPU_SRC_SECTION_AARCH64_COUNTER_H
/*
 * section_aarch64_counter.h: the sequence of percpu/arch/aarch64_counter.h, run
 * by the library, and the one that claims a slot's carry (counter.h here):
 *
 *   if (told & 1) goto missed;                   commit told = 2 * total + 1
 *
 * Where the slot is, and told before, go to *out, the caller's own: written for
 * nothing, they do no harm. told is loaded with acquire: whoever claims after a
 * release sees what that carry stored. Included by section_aarch64.h.
 */
static inline enum percpu__ran
percpu__section_counter_add(struct percpu__section s, uint64_t v,
			    uint64_t reach)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "ldr x16, [x15]\n\t"
		     "add x16, x16, %[v]\n\t"
		     "ldr x17, [x15, #8]\n\t"
		     "sub x17, x16, x17\n\t"
		     "add x17, x17, x16\n\t"
		     "add x17, x17, %[below]\n\t"
		     "cmp x17, %[span]\n\t"
		     "b.hi %l[missed]\n\t"
		     "str x16, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [v] "r"(v), [below] "r"(2 * reach + 1),
		       [span] "r"(4 * reach + 1)
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

static inline enum percpu__ran
percpu__section_counter_claim(struct percpu__section s,
			      struct percpu__counter_claim *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "str x15, [%[out]]\n\t"
		     "add x15, x15, #8\n\t"
		     "ldar x16, [x15]\n\t"
		     "str x16, [%[out], #8]\n\t"
		     "tbnz x16, #0, %l[missed]\n\t"
		     "sub x17, x15, #8\n\t"
		     "ldr x16, [x17]\n\t"
		     "lsl x16, x16, #1\n\t"
		     "orr x16, x16, #1\n\t"
		     "str x16, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [out] "r"(out)
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

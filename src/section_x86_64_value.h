/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_X86_64_VALUE_H
#define PERCPU_SRC_SECTION_X86_64_VALUE_H
/*
 * section_x86_64_value.h: the sequences of percpu/arch/x86_64_value.h and
 * x86_64_stack.h, run by the library. Included by section_x86_64.h.
 *
 * The result goes to *out, which is the caller's own: written for nothing, it
 * does no harm.
 */
#define PERCPU__RUN_XCHG(bytes, bits, mov, r, rcx)                             \
	static inline enum percpu__ran percpu__section_xchg_##bytes(           \
		struct percpu__section s, uint##bits##_t v,                    \
		uint##bits##_t *out)                                           \
	{                                                                      \
		__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT mov                \
			     " (%%rax), " rcx "\n\t" mov " " rcx               \
			     ", (%[out])\n\t" mov " %" r                       \
			     "[v], (%%rax)" PERCPU__RUN_DISARM                 \
			     :                                                 \
			     : PERCPU__ON(s), [v] "r"(v), [out] "r"(out)       \
			     : "rax", "rcx", "cc", "memory"                    \
			     : aborted, refused);                              \
		PERCPU__ENDS(s);                                               \
	}

#define PERCPU__RUN_ADD_RETURN(bytes, bits, mov, add, r, rcx)                  \
	static inline enum percpu__ran percpu__section_add_return_##bytes(     \
		struct percpu__section s, uint##bits##_t v,                    \
		uint##bits##_t *out)                                           \
	{                                                                      \
		__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT mov                \
			     " (%%rax), " rcx "\n\t" add " %" r "[v], " rcx    \
			     "\n\t" mov " " rcx ", (%[out])\n\t" mov " " rcx   \
			     ", (%%rax)" PERCPU__RUN_DISARM                    \
			     :                                                 \
			     : PERCPU__ON(s), [v] "r"(v), [out] "r"(out)       \
			     : "rax", "rcx", "cc", "memory"                    \
			     : aborted, refused);                              \
		PERCPU__ENDS(s);                                               \
	}

/* Missed: the slot held another value than @expected, now in *out. */
#define PERCPU__RUN_CMPXCHG(bytes, bits, mov, cmp, r, rcx)                     \
	static inline enum percpu__ran percpu__section_cmpxchg_##bytes(        \
		struct percpu__section s, uint##bits##_t expected,             \
		uint##bits##_t desired, uint##bits##_t *out)                   \
	{                                                                      \
		__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT mov                \
			     " (%%rax), " rcx "\n\t" mov " " rcx               \
			     ", (%[out])\n\t" cmp " %" r "[expected], " rcx    \
			     "\n\t"                                            \
			     "jne %l[missed]\n\t" mov " %" r                   \
			     "[v], (%%rax)" PERCPU__RUN_DISARM                 \
			     :                                                 \
			     : PERCPU__ON(s), [expected] "r"(expected),        \
			       [v] "r"(desired), [out] "r"(out)                \
			     : "rax", "rcx", "cc", "memory"                    \
			     : aborted, refused, missed);                      \
		PERCPU__MISSED_ENDS(s);                                        \
	}

#define PERCPU__RUN_VALUES(bytes, bits, x, r, rcx)                             \
	PERCPU__RUN_XCHG(bytes, bits, "mov" x, r, rcx)                         \
	PERCPU__RUN_ADD_RETURN(bytes, bits, "mov" x, "add" x, r, rcx)          \
	PERCPU__RUN_CMPXCHG(bytes, bits, "mov" x, "cmp" x, r, rcx)

PERCPU__RUN_VALUES(1, 8, "b", "b", "%%cl")
PERCPU__RUN_VALUES(2, 16, "w", "w", "%%cx")
PERCPU__RUN_VALUES(4, 32, "l", "k", "%%ecx")
PERCPU__RUN_VALUES(8, 64, "q", "q", "%%rcx")

#undef PERCPU__RUN_VALUES
#undef PERCPU__RUN_CMPXCHG
#undef PERCPU__RUN_ADD_RETURN
#undef PERCPU__RUN_XCHG

/* Missed: the stack has @capacity items. */
static inline enum percpu__ran
percpu__section_stack_push(struct percpu__section s, uint64_t capacity,
			   uint64_t item)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "movq (%%rax), %%rcx\n\t"
		     "cmpq %[capacity], %%rcx\n\t"
		     "jae %l[missed]\n\t"
		     "movq %[item], 8(%%rax,%%rcx,8)\n\t"
		     "incq %%rcx\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [capacity] "r"(capacity), [item] "r"(item)
		     : "rax", "rcx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

/* Missed: the stack is empty. */
static inline enum percpu__ran
percpu__section_stack_pop(struct percpu__section s, uint64_t *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "movq (%%rax), %%rcx\n\t"
		     "subq $1, %%rcx\n\t"
		     "jc %l[missed]\n\t"
		     "movq 8(%%rax,%%rcx,8), %%rdx\n\t"
		     "movq %%rdx, (%[out])\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [out] "r"(out)
		     : "rax", "rcx", "rdx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

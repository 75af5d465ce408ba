/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_AARCH64_VALUE_H
#define PERCPU_SRC_SECTION_AARCH64_VALUE_H
/*
 * section_aarch64_value.h: the sequences of percpu/arch/aarch64_value.h and
 * aarch64_stack.h, run by the library. Included by section_aarch64.h.
 *
 * The result goes to *out, which is the caller's own: written for nothing, it
 * does no harm.
 */
#define PERCPU__RUN_XCHG(bytes, bits, r, size)                                 \
	static inline enum percpu__ran percpu__section_xchg_##bytes(           \
		struct percpu__section s, uint##bits##_t v,                    \
		uint##bits##_t *out)                                           \
	{                                                                      \
		__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT                    \
			     "ldr" size " " r "16, [x15]\n\t"                  \
			     "str" size " " r "16, [%[out]]\n\t"               \
			     "str" size " %" r "[v], [x15]" PERCPU__RUN_DISARM \
			     :                                                 \
			     : PERCPU__ON(s), [v] "r"(v), [out] "r"(out)       \
			     : "x15", "x16", "x17", "cc", "memory"             \
			     : aborted, refused);                              \
		PERCPU__ENDS(s);                                               \
	}

#define PERCPU__RUN_ADD_RETURN(bytes, bits, r, size)                           \
	static inline enum percpu__ran percpu__section_add_return_##bytes(     \
		struct percpu__section s, uint##bits##_t v,                    \
		uint##bits##_t *out)                                           \
	{                                                                      \
		__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT                    \
			     "ldr" size " " r "16, [x15]\n\t"                  \
			     "add " r "16, " r "16, %" r "[v]\n\t"             \
			     "str" size " " r "16, [%[out]]\n\t"               \
			     "str" size " " r "16, [x15]" PERCPU__RUN_DISARM   \
			     :                                                 \
			     : PERCPU__ON(s), [v] "r"(v), [out] "r"(out)       \
			     : "x15", "x16", "x17", "cc", "memory"             \
			     : aborted, refused);                              \
		PERCPU__ENDS(s);                                               \
	}

/* Missed: the slot held another value than @expected, now in *out. */
#define PERCPU__RUN_CMPXCHG(bytes, bits, wide, r, size)                        \
	static inline enum percpu__ran percpu__section_cmpxchg_##bytes(        \
		struct percpu__section s, uint##bits##_t expected,             \
		uint##bits##_t desired, uint##bits##_t *out)                   \
	{                                                                      \
		__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT                    \
			     "ldr" size " " r "16, [x15]\n\t"                  \
			     "str" size " " r "16, [%[out]]\n\t"               \
			     "cmp " r "16, %" r "[expected]\n\t"               \
			     "b.ne %l[missed]\n\t"                             \
			     "str" size " %" r "[v], [x15]" PERCPU__RUN_DISARM \
			     :                                                 \
			     : PERCPU__ON(s),                                  \
			       [expected] "r"((uint##wide##_t)expected),       \
			       [v] "r"(desired), [out] "r"(out)                \
			     : "x15", "x16", "x17", "cc", "memory"             \
			     : aborted, refused, missed);                      \
		PERCPU__MISSED_ENDS(s);                                        \
	}

#define PERCPU__RUN_VALUES(bytes, bits, wide, r, size)                         \
	PERCPU__RUN_XCHG(bytes, bits, r, size)                                 \
	PERCPU__RUN_ADD_RETURN(bytes, bits, r, size)                           \
	PERCPU__RUN_CMPXCHG(bytes, bits, wide, r, size)

PERCPU__RUN_VALUES(1, 8, 32, "w", "b")
PERCPU__RUN_VALUES(2, 16, 32, "w", "h")
PERCPU__RUN_VALUES(4, 32, 32, "w", "")
PERCPU__RUN_VALUES(8, 64, 64, "x", "")

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
		     "ldr x16, [x15]\n\t"
		     "cmp x16, %[capacity]\n\t"
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

/* Missed: the stack is empty. */
static inline enum percpu__ran
percpu__section_stack_pop(struct percpu__section s, uint64_t *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "ldr x16, [x15]\n\t"
		     "cbz x16, %l[missed]\n\t"
		     "ldr x17, [x15, x16, lsl #3]\n\t"
		     "sub x16, x16, #1\n\t"
		     "str x17, [%[out]]\n\t"
		     "str x16, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [out] "r"(out)
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

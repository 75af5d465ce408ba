/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_VALUE_H
#define PERCPU_ARCH_X86_64_VALUE_H
/*
 * x86_64_value.h: sequences with a result: what the slot held, or holds now.
 * They load, work in registers, and commit by a plain store: xchg and xadd with
 * memory imply a lock prefix or take longer.
 *
 *   xchg      old = *p;                          commit *p = v
 *   add_return  sum = *p + v;                    commit *p = sum
 *   cmpxchg   old = *p; if (old != expected) end without a commit
 *                                                commit *p = desired
 *
 * lea adds without touching the carry flag, which says that a sequence failed;
 * the comparison of equals clears it.
 */
#include <percpu/arch/x86_64_section.h>

PERCPU__DECLS_BEGIN

#define PERCPU__XCHG(bytes, bits, load, store)                                 \
	PERCPU__INLINE bool percpu__try_xchg_##bytes(                          \
		void PERCPU *h, uint##bits##_t v, uint##bits##_t *old)         \
	{                                                                      \
		bool failed;                                                   \
                                                                               \
		PERCPU__SECTION_VALUE(                                         \
			load "[out]\n\t" store "[v], (%%rax)",                 \
			(PERCPU__FAILED(failed), [out] "=&r"(*old)),           \
			(PERCPU__WHERE(h), [v] "r"(v)));                       \
		return !failed;                                                \
	}

#define PERCPU__ADD_RETURN(bytes, bits, load, lea, store)                      \
	PERCPU__INLINE bool percpu__try_add_return_##bytes(                    \
		void PERCPU *h, uint##bits##_t v, uint##bits##_t *sum)         \
	{                                                                      \
		bool failed;                                                   \
                                                                               \
		PERCPU__SECTION_VALUE(                                         \
			load "[out]\n\t" lea "\n\t" store "[out], (%%rax)",    \
			(PERCPU__FAILED(failed), [out] "=&r"(*sum)),           \
			(PERCPU__WHERE(h), [v] "r"(v)));                       \
		return !failed;                                                \
	}

#define PERCPU__CMPXCHG(bytes, bits, load, compare, store)                     \
	PERCPU__INLINE bool percpu__try_cmpxchg_##bytes(                       \
		void PERCPU *h, uint##bits##_t expected,                       \
		uint##bits##_t desired, uint##bits##_t *old)                   \
	{                                                                      \
		bool failed;                                                   \
                                                                               \
		PERCPU__SECTION_VALUE(                                         \
			load "[out]\n\t" compare "\n\t"                        \
			     "jne 775f\n\t" store "[v], (%%rax)",              \
			(PERCPU__FAILED(failed), [out] "=&r"(*old)),           \
			(PERCPU__WHERE(h), [expected] "r"(expected),           \
			 [v] "r"(desired)));                                   \
		return !failed;                                                \
	}

PERCPU__XCHG(1, 8, "movzbl (%%rax), %k", "movb %b")
PERCPU__XCHG(2, 16, "movzwl (%%rax), %k", "movw %w")
PERCPU__XCHG(4, 32, "movl (%%rax), %k", "movl %k")
PERCPU__XCHG(8, 64, "movq (%%rax), %q", "movq %q")
PERCPU__ADD_RETURN(1, 8, "movzbl (%%rax), %k", "leal (%k[out],%k[v]), %k[out]",
		   "movb %b")
PERCPU__ADD_RETURN(2, 16, "movzwl (%%rax), %k", "leal (%k[out],%k[v]), %k[out]",
		   "movw %w")
PERCPU__ADD_RETURN(4, 32, "movl (%%rax), %k", "leal (%k[out],%k[v]), %k[out]",
		   "movl %k")
PERCPU__ADD_RETURN(8, 64, "movq (%%rax), %q", "leaq (%q[out],%q[v]), %q[out]",
		   "movq %q")
PERCPU__CMPXCHG(1, 8, "movzbl (%%rax), %k", "cmpb %b[expected], %b[out]",
		"movb %b")
PERCPU__CMPXCHG(2, 16, "movzwl (%%rax), %k", "cmpw %w[expected], %w[out]",
		"movw %w")
PERCPU__CMPXCHG(4, 32, "movl (%%rax), %k", "cmpl %k[expected], %k[out]",
		"movl %k")
PERCPU__CMPXCHG(8, 64, "movq (%%rax), %q", "cmpq %q[expected], %q[out]",
		"movq %q")

#undef PERCPU__XCHG
#undef PERCPU__ADD_RETURN
#undef PERCPU__CMPXCHG

PERCPU__DECLS_END
#endif

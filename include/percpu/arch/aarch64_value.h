/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_VALUE_H
#define PERCPU_ARCH_AARCH64_VALUE_H
/*
 * aarch64_value.h: sequences with a result: what the slot held, or holds now.
 *
 *   xchg      old = *p;                          commit *p = v
 *   add_return  sum = *p + v;                    commit *p = sum
 *   cmpxchg   old = *p; if (old != expected) end without a commit
 *                                                commit *p = desired
 *
 * A register with a narrow operand may hold anything above it, so what is
 * compared is widened first; the loads widen what they load.
 */
#include <percpu/arch/aarch64_section.h>

PERCPU__DECLS_BEGIN

/* @r: w or x, the register's width; @size: b, h or nothing, the slot's. */
#define PERCPU__XCHG(bytes, bits, r, size)                                     \
	PERCPU__INLINE bool percpu__try_xchg_##bytes(                          \
		void PERCPU *h, uint##bits##_t v, uint##bits##_t *old)         \
	{                                                                      \
		uint32_t failed;                                               \
                                                                               \
		PERCPU__SECTION_VALUE(                                         \
			"ldr" size " %" r "[out], [x15]\n\t"                   \
			"str" size " %" r "[v], [x15]",                        \
			(PERCPU__FAILED(failed), [out] "=&r"(*old)),           \
			(PERCPU__WHERE(h), [v] "rZ"(v)));                      \
		return failed == 0;                                            \
	}

#define PERCPU__ADD_RETURN(bytes, bits, r, size)                               \
	PERCPU__INLINE bool percpu__try_add_return_##bytes(                    \
		void PERCPU *h, uint##bits##_t v, uint##bits##_t *sum)         \
	{                                                                      \
		uint32_t failed;                                               \
                                                                               \
		PERCPU__SECTION_VALUE(                                         \
			"ldr" size " %" r "[out], [x15]\n\t"                   \
			"add %" r "[out], %" r "[out], %" r "[v]\n\t"          \
			"str" size " %" r "[out], [x15]",                      \
			(PERCPU__FAILED(failed), [out] "=&r"(*sum)),           \
			(PERCPU__WHERE(h), [v] "rI"(v)));                      \
		return failed == 0;                                            \
	}

#define PERCPU__CMPXCHG(bytes, bits, wide, r, size)                            \
	PERCPU__INLINE bool percpu__try_cmpxchg_##bytes(                       \
		void PERCPU *h, uint##bits##_t expected,                       \
		uint##bits##_t desired, uint##bits##_t *old)                   \
	{                                                                      \
		uint32_t failed;                                               \
                                                                               \
		PERCPU__SECTION_VALUE(                                         \
			"ldr" size " %" r "[out], [x15]\n\t"                   \
			"cmp %" r "[out], %" r "[expected]\n\t"                \
			"b.ne 775f\n\t"                                        \
			"str" size " %" r "[v], [x15]",                        \
			(PERCPU__FAILED(failed), [out] "=&r"(*old)),           \
			(PERCPU__WHERE(h),                                     \
			 [expected] "rI"((uint##wide##_t)expected),            \
			 [v] "rZ"(desired)));                                  \
		return failed == 0;                                            \
	}

#define PERCPU__VALUES(bytes, bits, wide, r, size)                             \
	PERCPU__XCHG(bytes, bits, r, size)                                     \
	PERCPU__ADD_RETURN(bytes, bits, r, size)                               \
	PERCPU__CMPXCHG(bytes, bits, wide, r, size)

PERCPU__VALUES(1, 8, 32, "w", "b")
PERCPU__VALUES(2, 16, 32, "w", "h")
PERCPU__VALUES(4, 32, 32, "w", "")
PERCPU__VALUES(8, 64, 64, "x", "")

#undef PERCPU__VALUES
#undef PERCPU__CMPXCHG
#undef PERCPU__ADD_RETURN
#undef PERCPU__XCHG

PERCPU__DECLS_END
#endif

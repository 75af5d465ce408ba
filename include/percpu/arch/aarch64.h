/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_H
#define PERCPU_ARCH_AARCH64_H
/*
 * aarch64.h: operations as restartable sequences; aarch64_section.h says how
 * they work. Here are those without a result.
 */
#include <percpu/arch/aarch64_counter.h>
#include <percpu/arch/aarch64_gated.h>
#include <percpu/arch/aarch64_guarded.h>
#include <percpu/arch/aarch64_section.h>
#include <percpu/arch/aarch64_stack.h>
#include <percpu/arch/aarch64_value.h>

PERCPU__DECLS_BEGIN

#define PERCPU__SECTION(commit, h, v, vclass)                                  \
	__asm__ goto(                                                          \
		PERCPU__ARM PERCPU__SLOT commit PERCPU__DISARM PERCPU__ABORT   \
		:                                                              \
		: PERCPU__WHERE(h), [v] vclass(v)                              \
		: "x14", "x15", "x16", "x17", "cc", "memory"                   \
		: slow);                                                       \
	return true;                                                           \
	slow:                                                                  \
	return false

/* @r: w or x, the register's width; @size: b, h or nothing, the slot's. */
#define PERCPU__SECTION_OP(op, bytes, bits, r, size, instruction, vclass)      \
	PERCPU__INLINE bool percpu__try_##op##_##bytes(void PERCPU *h,         \
						       uint##bits##_t v)       \
	{                                                                      \
		PERCPU__SECTION("ldr" size " " r "16, [x15]\n\t" instruction   \
				" " r "16, " r "16, %" r "[v]\n\t"             \
				"str" size " " r "16, [x15]",                  \
				h, v, vclass);                                 \
	}

#define PERCPU__SECTION_OPS(bytes, bits, r, size)                              \
	PERCPU__SECTION_OP(add, bytes, bits, r, size, "add", "rI")             \
	PERCPU__SECTION_OP(and, bytes, bits, r, size, "and", "r")              \
	PERCPU__SECTION_OP(or, bytes, bits, r, size, "orr", "r")               \
	PERCPU__SECTION_OP(xor, bytes, bits, r, size, "eor", "r")              \
	PERCPU__INLINE bool percpu__try_write_##bytes(void PERCPU *h,          \
						      uint##bits##_t v)        \
	{                                                                      \
		PERCPU__SECTION("str" size " %" r "[v], [x15]", h, v, "rZ");   \
	}

PERCPU__SECTION_OPS(1, 8, "w", "b")
PERCPU__SECTION_OPS(2, 16, "w", "h")
PERCPU__SECTION_OPS(4, 32, "w", "")
PERCPU__SECTION_OPS(8, 64, "x", "")

#undef PERCPU__SECTION_OPS
#undef PERCPU__SECTION_OP
#undef PERCPU__SECTION

/* A load commits nothing, so this needs no sequence. */
PERCPU__INLINE void *percpu__try_this(void PERCPU *h)
{
	uint32_t limit = percpu__rt.limit;
	uintptr_t self;
	uint32_t id;
	uint32_t i;

	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(self));
	id = *(const volatile uint32_t *)(self + (uintptr_t)__rseq_offset + 4);
	if (__builtin_expect(id >= limit, 0))
		return NULL;
	i = *(const volatile uint32_t *)(self + (uintptr_t)percpu__rt.index);
	if (__builtin_expect(i >= limit, 0))
		return NULL;
	return (void *)((uintptr_t)h + ((uint64_t)i + 1) * percpu__rt.stride);
}

PERCPU__INLINE void percpu__acquire(void)
{
	__asm__ volatile("dmb ishld" : : : "memory");
}

PERCPU__INLINE void percpu__release(void)
{
	__asm__ volatile("dmb ish" : : : "memory");
}

PERCPU__DECLS_END
#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_H
#define PERCPU_ARCH_X86_64_H
/*
 * x86_64.h: operations as restartable sequences; x86_64_section.h says how they
 * work. Here are those without a result, of which one instruction is the whole
 * commit.
 */
#include <percpu/arch/x86_64_counter.h>
#include <percpu/arch/x86_64_gated.h>
#include <percpu/arch/x86_64_guarded.h>
#include <percpu/arch/x86_64_section.h>
#include <percpu/arch/x86_64_stack.h>
#include <percpu/arch/x86_64_value.h>

PERCPU__DECLS_BEGIN

#define PERCPU__SECTION(commit, h, v, vclass)                                  \
	__asm__ goto(                                                          \
		PERCPU__ARM PERCPU__SLOT commit PERCPU__DISARM PERCPU__ABORT   \
		:                                                              \
		: PERCPU__WHERE(h), [v] vclass(v)                              \
		: "rax", "rcx", "cc", "memory"                                 \
		: slow);                                                       \
	return true;                                                           \
	slow:                                                                  \
	return false

#define PERCPU__SECTION_OP(op, bytes, bits, instruction, vclass)               \
	PERCPU__INLINE bool percpu__try_##op##_##bytes(void PERCPU *h,         \
						       uint##bits##_t v)       \
	{                                                                      \
		PERCPU__SECTION(instruction ", (%%rax)", h, v, vclass);        \
	}

#define PERCPU__SECTION_OPS(op, instruction)                                   \
	PERCPU__SECTION_OP(op, 1, 8, instruction "b %b[v]", "iq")              \
	PERCPU__SECTION_OP(op, 2, 16, instruction "w %w[v]", "ir")             \
	PERCPU__SECTION_OP(op, 4, 32, instruction "l %k[v]", "ir")             \
	PERCPU__SECTION_OP(op, 8, 64, instruction "q %[v]", "er")

PERCPU__SECTION_OPS(add, "add")
PERCPU__SECTION_OPS(and, "and")
PERCPU__SECTION_OPS(or, "or")
PERCPU__SECTION_OPS(xor, "xor")
PERCPU__SECTION_OPS(write, "mov")

#undef PERCPU__SECTION_OPS
#undef PERCPU__SECTION_OP
#undef PERCPU__SECTION

/* A load commits nothing, so this needs no sequence. */
PERCPU__INLINE void *percpu__try_this(void PERCPU *h)
{
	uint32_t limit = percpu__rt.limit;
	uint32_t id;
	uint32_t i;

	__asm__ volatile("movl %%fs:4(%1), %0" : "=r"(id) : "r"(__rseq_offset));
	if (__builtin_expect(id >= limit, 0))
		return NULL;
	__asm__ volatile("movl %%fs:(%1), %0"
			 : "=r"(i)
			 : "r"(percpu__rt.index));
	if (__builtin_expect(i >= limit, 0))
		return NULL;
	return (void *)((uintptr_t)h + ((uint64_t)i + 1) * percpu__rt.stride);
}

/* This processor keeps loads, and loads and stores before a store, in order. */
PERCPU__INLINE void percpu__acquire(void)
{
	__asm__ volatile("" : : : "memory");
}

PERCPU__INLINE void percpu__release(void)
{
	__asm__ volatile("" : : : "memory");
}

PERCPU__DECLS_END
#endif

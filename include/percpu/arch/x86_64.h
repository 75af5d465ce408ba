/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_H
#define PERCPU_ARCH_X86_64_H
/*
 * x86_64.h: operations as restartable sequences on the area that glibc
 * registers for each thread. Compiled into the caller: the layout is ABI.
 *
 *   add(h, v):   arm:     rseq_cs = &descriptor
 *                start:   if (cpu_id >= limit) goto out
 *                         i = *index; if (i >= limit) goto out
 *                         p = h + (i + 1) * stride
 *                         *p += v                     <- commits
 *                end:     rseq_cs = 0
 *                out:     rseq_cs = 0, then the library
 *
 * A thread that is preempted, moved or signalled in [start, end) goes to out,
 * where the library makes the whole operation again: the commit is the last
 * instruction of the range, so a thread that left the range early has stored
 * nothing, and one that committed is past it. cpu_id >= limit sends threads
 * without a registration (-1, -2), with an id beyond the table, or under a
 * policy that has no sequences the same way. *index is cpu_id once more, or
 * mm_cid, which alone does not show that a thread has no registration.
 *
 * Each way out leaves rseq_cs at 0, by a store of its own: the library, where
 * it runs no sequence, does not touch the word. The kernel reads it whenever
 * the thread wakes, also outside of sequences, and kills a process whose word
 * points to an object that was unloaded.
 *
 * Cost: three stores on two lines; on processors that retire one line a cycle
 * all the rest is hidden behind them. The last address has a base and no index
 * register, which some processors forward from store to load faster; the
 * area's offset is a constant of libc's, so a loop loads it once.
 */
#include <percpu/base.h>
#include <stdbool.h>
#include <sys/rseq.h>

PERCPU__DECLS_BEGIN

/* The group flag '?' drops a descriptor together with its function. */
#define PERCPU__ARM                                                            \
	".pushsection __rseq_cs, \"aw?\"\n\t"                                  \
	".balign 32\n"                                                         \
	"771:\n\t"                                                             \
	".long 0, 0\n\t"                                                       \
	".quad 772f, 773f - 772f, 774f\n\t"                                    \
	".popsection\n\t"                                                      \
	"leaq 771b(%%rip), %%rax\n\t"                                          \
	"movq %%rax, %%fs:8(%[off])\n"                                         \
	"772:\n\t"

#define PERCPU__SLOT                                                           \
	"movl %[limit], %%ecx\n\t"                                             \
	"cmpl %%ecx, %%fs:4(%[off])\n\t"                                       \
	"jae 774f\n\t"                                                         \
	"movq %[index], %%rax\n\t"                                             \
	"movl %%fs:(%%rax), %%eax\n\t"                                         \
	"cmpl %%ecx, %%eax\n\t"                                                \
	"jae 774f\n\t"                                                         \
	"incl %%eax\n\t"                                                       \
	"imulq %[stride], %%rax\n\t"                                           \
	"addq %[h], %%rax\n\t"

#define PERCPU__DISARM                                                         \
	"\n773:\n\t"                                                           \
	"movq $0, %%fs:8(%[off])\n\t"

/* The four bytes before the abort address are the signature glibc registers. */
#define PERCPU__ABORT                                                          \
	".pushsection __rseq_failure, \"ax?\"\n\t"                             \
	".byte 0x0f, 0xb9, 0x3d\n\t"                                           \
	".long 0x53053053\n"                                                   \
	"774:\n\t"                                                             \
	"movq $0, %%fs:8(%[off])\n\t"                                          \
	"jmp %l[slow]\n\t"                                                     \
	".popsection\n\t"

#define PERCPU__SECTION(commit, h, v, vclass)                                  \
	__asm__ goto(                                                          \
		PERCPU__ARM PERCPU__SLOT commit PERCPU__DISARM PERCPU__ABORT   \
		:                                                              \
		: [off] "r"(__rseq_offset), [h] "r"(h), [v] vclass(v),         \
		  [limit] "m"(percpu__rt.limit),                               \
		  [index] "m"(percpu__rt.index),                               \
		  [stride] "m"(percpu__rt.stride)                              \
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

PERCPU__SECTION_OP(add, 1, 8, "addb %b[v]", "iq")
PERCPU__SECTION_OP(add, 2, 16, "addw %w[v]", "ir")
PERCPU__SECTION_OP(add, 4, 32, "addl %k[v]", "ir")
PERCPU__SECTION_OP(add, 8, 64, "addq %[v]", "er")
PERCPU__SECTION_OP(write, 1, 8, "movb %b[v]", "iq")
PERCPU__SECTION_OP(write, 2, 16, "movw %w[v]", "ir")
PERCPU__SECTION_OP(write, 4, 32, "movl %k[v]", "ir")
PERCPU__SECTION_OP(write, 8, 64, "movq %[v]", "er")

#undef PERCPU__SECTION_OP
#undef PERCPU__SECTION
#undef PERCPU__ABORT
#undef PERCPU__DISARM
#undef PERCPU__SLOT
#undef PERCPU__ARM

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

PERCPU__DECLS_END
#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_SECTION_H
#define PERCPU_ARCH_X86_64_SECTION_H
/*
 * x86_64_section.h: what every restartable sequence on the area that glibc
 * registers for each thread is made of. Compiled into the caller: the layout is
 * ABI. x86_64.h, x86_64_value.h and x86_64_stack.h have the operations;
 * percpu/section.h has the way to write more.
 *
 *   arm:     rseq_cs = &descriptor
 *   start:   if (cpu_id >= limit) goto out
 *            i = *index; if (i >= limit) goto out
 *            p = h + (i + 1) * stride
 *            ...
 *            one store to the slot              <- commits
 *   end:     rseq_cs = 0
 *   out:     rseq_cs = 0, then the library
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
 *
 * Two ways to tell the compiler that a sequence has not run. PERCPU__ABORT
 * jumps to a label of the caller's, which costs nothing and leaves no room for
 * a result: outputs of asm goto are miscompiled by gcc before 11.5, 12.4, 13.3
 * and 14.1. PERCPU__FAILS sets the carry flag, which costs one predicted
 * branch; then all that leads to PERCPU__DONE must have it clear.
 */
#include <percpu/base.h>
#include <stdbool.h>
#include <sys/rseq.h>

/* Arm. The group flag '?' drops a descriptor together with its function. */
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

/* The object of this thread's slot to rax; rcx is used. */
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

/* After the instruction that commits. */
#define PERCPU__DISARM                                                         \
	"\n773:\n\t"                                                           \
	"movq $0, %%fs:8(%[off])\n\t"

/* The four bytes before the abort address are the signature glibc registers. */
#define PERCPU__SIGNATURE                                                      \
	".pushsection __rseq_failure, \"ax?\"\n\t"                             \
	".byte 0x0f, 0xb9, 0x3d\n\t"                                           \
	".long 0x53053053\n"                                                   \
	"774:\n\t"                                                             \
	"movq $0, %%fs:8(%[off])\n\t"

#define PERCPU__ABORT                                                          \
	PERCPU__SIGNATURE                                                      \
	"jmp %l[slow]\n\t"                                                     \
	".popsection\n\t"

/* As PERCPU__ABORT, and 775: an end of the sequence without a commit. */
#define PERCPU__FAILS                                                          \
	PERCPU__SIGNATURE                                                      \
	"stc\n\t"                                                              \
	"jmp 776f\n"                                                           \
	"775:\n\t"                                                             \
	"movq $0, %%fs:8(%[off])\n\t"                                          \
	"clc\n\t"                                                              \
	"jmp 776f\n\t"                                                         \
	".popsection\n"                                                        \
	"776:\n\t"

/* The operands that the text above names. */
#define PERCPU__WHERE(handle)                                                  \
	[off] "r"(__rseq_offset), [h] "r"(handle),                             \
		[limit] "m"(percpu__rt.limit), [index] "m"(percpu__rt.index),  \
		[stride] "m"(percpu__rt.stride)

/* Among the outputs of such a sequence: whether nothing was done. */
#define PERCPU__FAILED(failed) "=@ccc"(failed)

/*
 * A sequence with a result; @outputs and @inputs are lists in parentheses, and
 * begin with PERCPU__FAILED and PERCPU__WHERE.
 */
#define PERCPU__SECTION_VALUE(commit, outputs, inputs)                         \
	__asm__ volatile(                                                      \
		PERCPU__ARM PERCPU__SLOT commit PERCPU__DISARM PERCPU__FAILS   \
		: PERCPU__LIST outputs                                         \
		: PERCPU__LIST inputs                                          \
		: "rax", "rcx", "memory")
#define PERCPU__LIST(...) __VA_ARGS__

/* percpu/section.h says how to use these; @text may leave any flags. */
#define PERCPU_SECTION_FAILED(failed) PERCPU__FAILED(failed)
#define PERCPU_SECTION_ON(handle) PERCPU__WHERE((void PERCPU *)(handle))
#define PERCPU_SECTION_X86_64(text, outputs, inputs)                           \
	__asm__ volatile(PERCPU__ARM PERCPU__SLOT text PERCPU__DISARM          \
			 "clc\n\t" PERCPU__FAILS                               \
			 : PERCPU__LIST outputs                                \
			 : PERCPU__LIST inputs                                 \
			 : "rax", "rcx", "memory")

#endif

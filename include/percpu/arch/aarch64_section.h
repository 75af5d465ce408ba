/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_SECTION_H
#define PERCPU_ARCH_AARCH64_SECTION_H
/*
 * aarch64_section.h: what every restartable sequence on the area that glibc
 * registers for each thread is made of. Compiled into the caller: the layout is
 * ABI. aarch64.h, aarch64_value.h and aarch64_stack.h have the operations;
 * percpu/section.h has the way to write more.
 *
 *   arm:     area->rseq_cs = &descriptor
 *   start:   if (cpu_id >= limit) goto out
 *            i = *index; if (i >= limit) goto out
 *            p = h + (i + 1) * stride
 *            n = *p + v
 *            *p = n                             <- commits
 *   end:     rseq_cs = 0
 *   out:     rseq_cs = 0, then the library
 *
 * The numbered argument is that of DESIGN.md, section 3, but for one thing:
 * this processor adds in registers, so a load and an add precede the store. A
 * thread that leaves the range between them has stored nothing, and when it
 * comes again it loads anew. One that commits was not interrupted since its
 * load (1, 3), and nobody else writes to the unit (4): load, add and store are
 * as good as one instruction.
 *
 * No barrier is in it, and none is missing: threads that commit to one unit do
 * so on one CPU, which sees its own stores in order, or, under concurrency ids,
 * with the kernel's full barriers between them. limit need not be seen before
 * stride: whoever has a handle sees stride (DESIGN.md, section 4).
 *
 * Each way out leaves rseq_cs at 0 by a store of its own, as on x86-64. The
 * thread pointer is read each time, since a coroutine may change threads.
 *
 * A conditional branch reaches 1 MiB, and neither the abort handler nor what
 * the compiler takes to be rare need be so near: so it leads to a branch right
 * behind the sequence, over which the usual way jumps. That one reaches 128
 * MiB, and further with a linker's help, which takes x16 and x17.
 *
 * Cost: 21 instructions for an add, 19 for a write: 6 and 5 loads, 3 stores on
 * two lines, and one jump that is taken. Addresses of percpu__rt and of libc's
 * constant are found once for a loop. Not measured: no such machine was at
 * hand. Rejected: an acquiring load, by the above; ldadd on the unit, which
 * makes the sequence no shorter and which some processors do far off.
 *
 * Two ways to tell the compiler that a sequence has not run. PERCPU__ABORT
 * jumps to a label of the caller's, without room for a result: outputs of asm
 * goto are miscompiled by some compilers (x86_64_section.h). PERCPU__FAILS has
 * a register for it; flags as outputs are not known to clang 14 here.
 */
#include <percpu/base.h>
#include <stdbool.h>
#include <sys/rseq.h>

/* Arm; x14 is the area. The flag '?' drops a descriptor with its function. */
#define PERCPU__ARM                                                            \
	".pushsection __rseq_cs, \"aw?\"\n\t"                                  \
	".balign 32\n"                                                         \
	"771:\n\t"                                                             \
	".long 0, 0\n\t"                                                       \
	".quad 772f, 773f - 772f, 774f\n\t"                                    \
	".popsection\n\t"                                                      \
	"mrs x15, tpidr_el0\n\t"                                               \
	"add x14, x15, %[off]\n\t"                                             \
	"adrp x16, 771b\n\t"                                                   \
	"add x16, x16, :lo12:771b\n\t"                                         \
	"str x16, [x14, #8]\n"                                                 \
	"772:\n\t"

/* The object of this thread's slot to x15; x16 and x17 are used. */
#define PERCPU__SLOT PERCPU__SLOT_OF("%[h]")
#define PERCPU__SLOT_OF(handle)                                                \
	"ldr w16, [%[rt], %[limit]]\n\t"                                       \
	"ldr w17, [x14, #4]\n\t"                                               \
	"cmp w17, w16\n\t"                                                     \
	"b.hs 777f\n\t"                                                        \
	"ldr x17, [%[rt], %[index]]\n\t"                                       \
	"ldr w15, [x15, x17]\n\t"                                              \
	"cmp w15, w16\n\t"                                                     \
	"b.hs 777f\n\t"                                                        \
	"ldr x16, [%[rt], %[stride]]\n\t"                                      \
	"add w15, w15, #1\n\t"                                                 \
	"madd x15, x15, x16, " handle "\n\t"

/* After the instruction that commits. */
#define PERCPU__DISARM                                                         \
	"\n773:\n\t"                                                           \
	"str xzr, [x14, #8]\n\t"                                               \
	"b 776f\n"                                                             \
	"777:\n\t"                                                             \
	"b 774f\n\t"

/* The word before the abort address is the signature glibc registers. */
#define PERCPU__SIGNATURE                                                      \
	".pushsection __rseq_failure, \"ax?\"\n\t"                             \
	".balign 4\n\t"                                                        \
	".inst 0xd428bc00\n"                                                   \
	"774:\n\t"                                                             \
	"str xzr, [x14, #8]\n\t"

#define PERCPU__ABORT                                                          \
	PERCPU__SIGNATURE                                                      \
	"b %l[slow]\n\t"                                                       \
	".popsection\n"                                                        \
	"776:\n\t"

/* As PERCPU__ABORT, and 775: an end of the sequence without a commit. */
#define PERCPU__FAILS                                                          \
	PERCPU__SIGNATURE                                                      \
	"mov %w[failed], #1\n\t"                                               \
	"b 776f\n\t"                                                           \
	".popsection\n"                                                        \
	"775:\n\t"                                                             \
	"str xzr, [x14, #8]\n"                                                 \
	"776:\n\t"

/* The operands that the text above names. */
#define PERCPU__WHERE(handle)                                                  \
	[off] "r"(__rseq_offset), [h] "r"(handle), [rt] "r"(&percpu__rt),      \
		[limit] "i"(offsetof(struct percpu__rt, limit)),               \
		[index] "i"(offsetof(struct percpu__rt, index)),               \
		[stride] "i"(offsetof(struct percpu__rt, stride))

/* Among the outputs of such a sequence: whether nothing was done. */
#define PERCPU__FAILED(word) [failed] "=&r"(word)

/*
 * A sequence with a result; @outputs and @inputs are lists in parentheses, and
 * begin with PERCPU__FAILED and PERCPU__WHERE.
 */
#define PERCPU__SECTION_VALUE(commit, outputs, inputs)                         \
	__asm__ volatile("mov %w[failed], #0\n\t" PERCPU__ARM PERCPU__SLOT     \
				 commit PERCPU__DISARM PERCPU__FAILS           \
			 : PERCPU__LIST outputs                                \
			 : PERCPU__LIST inputs                                 \
			 : "x14", "x15", "x16", "x17", "cc", "memory")
#define PERCPU__LIST(...) __VA_ARGS__

/* percpu/section.h says how to use these. */
#define PERCPU_SECTION_FAILED(failed) PERCPU__FAILED(failed)
#define PERCPU_SECTION_ON(handle) PERCPU__WHERE((void PERCPU *)(handle))
#define PERCPU_SECTION_AARCH64(text, outputs, inputs)                          \
	PERCPU__SECTION_VALUE(text, outputs, inputs)

#endif

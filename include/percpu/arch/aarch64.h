/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_H
#define PERCPU_ARCH_AARCH64_H
/*
 * aarch64.h: operations as restartable sequences on the area that glibc
 * registers for each thread. Compiled into the caller: the layout is ABI.
 *
 *   add(h, v):   arm:     area->rseq_cs = &descriptor
 *                start:   if (cpu_id >= limit) goto out
 *                         i = *index; if (i >= limit) goto out
 *                         p = h + (i + 1) * stride
 *                         n = *p + v
 *                         *p = n                      <- commits
 *                end:     rseq_cs = 0
 *                out:     rseq_cs = 0, then the library
 *
 * The numbered argument is that of DESIGN.md, section 3, word for word but for
 * one thing: this processor adds in registers, so a load and an add precede
 * the store. A thread that leaves the range between them has stored nothing,
 * and the next to come loads anew; nobody else of this CPU stored in between,
 * or the kernel had restarted this one. So load, add, store are as good as one
 * instruction to whoever runs on the CPU, and nobody else writes to the unit.
 *
 * No barrier is in it, and none is missing: threads that commit to one unit do
 * so on one CPU, which sees its own stores in order, or, under concurrency ids,
 * with the kernel's full barriers between them. limit is not needed to see
 * stride: whoever has a handle sees it (DESIGN.md, section 4).
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
 */
#include <percpu/base.h>
#include <stdbool.h>
#include <sys/rseq.h>

PERCPU__DECLS_BEGIN

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

/* The address of this thread's slot to x15. */
#define PERCPU__SLOT                                                           \
	"ldr w16, [%[rt], %[limit]]\n\t"                                       \
	"ldr w17, [x14, #4]\n\t"                                               \
	"cmp w17, w16\n\t"                                                     \
	"b.hs 775f\n\t"                                                        \
	"ldr x17, [%[rt], %[index]]\n\t"                                       \
	"ldr w15, [x15, x17]\n\t"                                              \
	"cmp w15, w16\n\t"                                                     \
	"b.hs 775f\n\t"                                                        \
	"ldr x16, [%[rt], %[stride]]\n\t"                                      \
	"add w15, w15, #1\n\t"                                                 \
	"madd x15, x15, x16, %[h]\n\t"

#define PERCPU__DISARM                                                         \
	"\n773:\n\t"                                                           \
	"str xzr, [x14, #8]\n\t"                                               \
	"b 776f\n"                                                             \
	"775:\n\t"                                                             \
	"b 774f\n"                                                             \
	"776:\n\t"

/* The word before the abort address is the signature glibc registers. */
#define PERCPU__ABORT                                                          \
	".pushsection __rseq_failure, \"ax?\"\n\t"                             \
	".balign 4\n\t"                                                        \
	".inst 0xd428bc00\n"                                                   \
	"774:\n\t"                                                             \
	"str xzr, [x14, #8]\n\t"                                               \
	"b %l[slow]\n\t"                                                       \
	".popsection\n\t"

/* @work: from the slot's address in x15 to the commit; x16, x17 are free. */
#define PERCPU__SECTION(work, h, v, vclass)                                    \
	__asm__ goto(                                                          \
		PERCPU__ARM PERCPU__SLOT work PERCPU__DISARM PERCPU__ABORT     \
		:                                                              \
		: [off] "r"(__rseq_offset), [h] "r"(h), [v] vclass(v),         \
		  [rt] "r"(&percpu__rt),                                       \
		  [limit] "i"(offsetof(struct percpu__rt, limit)),             \
		  [index] "i"(offsetof(struct percpu__rt, index)),             \
		  [stride] "i"(offsetof(struct percpu__rt, stride))            \
		: "x14", "x15", "x16", "x17", "cc", "memory"                   \
		: slow);                                                       \
	return true;                                                           \
	slow:                                                                  \
	return false

/* @w: x or w, the register's width; @sz: b, h or nothing, the slot's. */
#define PERCPU__SECTION_OPS(bytes, bits, w, sz)                                \
	PERCPU__INLINE bool percpu__try_add_##bytes(void PERCPU *h,            \
						    uint##bits##_t v)          \
	{                                                                      \
		PERCPU__SECTION("ldr" sz " " w "16, [x15]\n\t"                 \
				"add " w "16, " w "16, %" w "[v]\n\t"          \
				"str" sz " " w "16, [x15]",                    \
				h, v, "rI");                                   \
	}                                                                      \
	PERCPU__INLINE bool percpu__try_write_##bytes(void PERCPU *h,          \
						      uint##bits##_t v)        \
	{                                                                      \
		PERCPU__SECTION("str" sz " %" w "[v], [x15]", h, v, "rZ");     \
	}

PERCPU__SECTION_OPS(1, 8, "w", "b")
PERCPU__SECTION_OPS(2, 16, "w", "h")
PERCPU__SECTION_OPS(4, 32, "w", "")
PERCPU__SECTION_OPS(8, 64, "x", "")

#undef PERCPU__SECTION_OPS
#undef PERCPU__SECTION
#undef PERCPU__ABORT
#undef PERCPU__DISARM
#undef PERCPU__SLOT
#undef PERCPU__ARM

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

PERCPU__DECLS_END
#endif

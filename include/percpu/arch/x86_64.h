/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_H
#define PERCPU_ARCH_X86_64_H
/*
 * x86_64.h: operations as restartable sequences on the area that glibc
 * registers for each thread. Compiled into the caller: the layout is ABI.
 *
 *   add(h, v):   arm:     rseq_cs = &descriptor
 *                start:   id = cpu_id; if (id >= limit) goto slow
 *                         p = h + (id + 1) * stride
 *                         *p += v                     <- commits
 *                end:     rseq_cs = 0
 *
 * A thread that is preempted, moved or signalled in [start, end) goes to the
 * slow path, which makes the whole operation again: the commit is the last
 * instruction of the range, so a thread that left the range early has stored
 * nothing, and one that committed is past it. id >= limit sends threads without
 * a registration (id -1, -2), with an id beyond the table, or under a policy
 * that has no sequences the same way.
 *
 * Each way out leaves rseq_cs at 0: the kernel clears it on an abort, the
 * last store clears it after a commit, the slow path clears it before a twin,
 * which may run no sequence. The kernel reads that word whenever the thread
 * wakes, also outside of sequences, and kills a process whose word points to an
 * object that was unloaded.
 *
 * The last address has a base and no index, which some processors forward
 * from store to load faster; the area's offset is a constant of libc's.
 */
#include <percpu/base.h>
#include <percpu/twins.h>
#include <sys/rseq.h>

PERCPU__DECLS_BEGIN

/* The group flag '?' keeps a descriptor with its function when it is dropped. */
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
	"movl %%fs:4(%[off]), %%eax\n\t"                                       \
	"cmpl %[limit], %%eax\n\t"                                             \
	"jae %l[slow]\n\t"                                                     \
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
	"jmp %l[slow]\n\t"                                                     \
	".popsection\n\t"

#define PERCPU__SECTION(commit, h, v, vclass, twin)                            \
	__asm__ goto(                                                          \
		PERCPU__ARM PERCPU__SLOT commit PERCPU__DISARM PERCPU__ABORT   \
		:                                                              \
		: [off] "r"(__rseq_offset), [h] "r"(h), [v] vclass(v),         \
		  [limit] "m"(percpu__rt.limit),                               \
		  [stride] "m"(percpu__rt.stride)                              \
		: "rax", "cc", "memory"                                        \
		: slow);                                                       \
	return;                                                                \
	slow:                                                                  \
	__asm__ volatile("movq $0, %%fs:8(%[off])"                             \
			 :                                                     \
			 : [off] "r"(__rseq_offset)                            \
			 : "memory");                                          \
	twin(h, v)

PERCPU__INLINE void percpu__add_1(void PERCPU *h, uint8_t v)
{
	PERCPU__SECTION("addb %b[v], (%%rax)", h, v, "iq", percpu_add_u8);
}

PERCPU__INLINE void percpu__add_2(void PERCPU *h, uint16_t v)
{
	PERCPU__SECTION("addw %w[v], (%%rax)", h, v, "ir", percpu_add_u16);
}

PERCPU__INLINE void percpu__add_4(void PERCPU *h, uint32_t v)
{
	PERCPU__SECTION("addl %k[v], (%%rax)", h, v, "ir", percpu_add_u32);
}

PERCPU__INLINE void percpu__add_8(void PERCPU *h, uint64_t v)
{
	PERCPU__SECTION("addq %[v], (%%rax)", h, v, "er", percpu_add_u64);
}

PERCPU__INLINE void percpu__write_1(void PERCPU *h, uint8_t v)
{
	PERCPU__SECTION("movb %b[v], (%%rax)", h, v, "iq", percpu_write_u8);
}

PERCPU__INLINE void percpu__write_2(void PERCPU *h, uint16_t v)
{
	PERCPU__SECTION("movw %w[v], (%%rax)", h, v, "ir", percpu_write_u16);
}

PERCPU__INLINE void percpu__write_4(void PERCPU *h, uint32_t v)
{
	PERCPU__SECTION("movl %k[v], (%%rax)", h, v, "ir", percpu_write_u32);
}

PERCPU__INLINE void percpu__write_8(void PERCPU *h, uint64_t v)
{
	PERCPU__SECTION("movq %[v], (%%rax)", h, v, "er", percpu_write_u64);
}

/* A load commits nothing, so this needs no sequence. */
PERCPU__INLINE void *percpu__this(void PERCPU *h)
{
	uint32_t id;

	__asm__ volatile("movl %%fs:4(%[off]), %[id]"
			 : [id] "=r"(id)
			 : [off] "r"(__rseq_offset));
	if (__builtin_expect(id >= percpu__rt.limit, 0))
		return percpu_this_ptr_raw(h);
	return (void *)((uintptr_t)h + ((uint64_t)id + 1) * percpu__rt.stride);
}

PERCPU__DECLS_END
#endif

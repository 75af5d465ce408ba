/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_MULTI_H
#define PERCPU_ARCH_X86_64_MULTI_H
/*
 * x86_64_multi.h: several adds in one restartable sequence. DESIGN.md, "Several
 * adds at once", numbers the argument; arch/x86_64.h tells of arm, slot, out.
 *
 * Adds anywhere, PERCPU__ADD_4 and kin; stage is a register:
 *
 *   before:  stage = s(0)
 *   start:   p = (i + 1) * stride
 *            stage -= d(1)                 <- overflows
 *            *(h0 + p) += v0               <- commits the first
 *            stage -= d(2)                 <- overflows
 *            *(h1 + p) += v1               <- commits the second ...
 *   end:
 *
 * After an add, of any width and any value, flags never say "overflow, and
 * sign is carry"; after a subtraction that overflows they always do. So stage
 * and flags, which an abort leaves as they are, say which adds are done. The
 * subtraction counts and marks in one instruction: between two there would be
 * a moment at which they contradict each other. s(k) has no value twice.
 *
 * Blocks: one vector store commits all fields. Where 64 bytes are too many for
 * one, a block of eight takes two sequences. The second finds its slot by
 * asking whether the thread is still where the first one was.
 *
 * A program that was not compiled for these vectors runs them too, where the
 * processor has them: limit_32 and limit_64 say so in the compare that is made
 * anyway. Registers wider than 16 bytes are left clean (vzeroupper), or each
 * later SSE instruction of the program pays on some processors. That changes
 * all sixteen, also those of a function that was compiled for AVX by an
 * attribute of its own; so all are named as changed, but for the operands,
 * whose lower halves, all that is theirs, stay. Operands are fixed, so that
 * none can be a register named so.
 *
 * Measured, Zen 5, gcc 12, in single adds of 0.8 ns, constants, lines in turn:
 * a block of two 1.1, of four 1.4, of eight 1.9, of eight in two sequences 2.5;
 * eight anywhere, in two sections of four, 3.1 (one by one 8.5). What blocks
 * pay is their constants, which go into fixed registers by SSE loads; in
 * registers of the compiler's choice, which it may keep, four took 0.95 and
 * eight 1.2. Registers 16 to 31 need no cleaning, 0.95 too, but gcc does not
 * let a function that is not compiled for AVX-512 name them.
 */
#include <percpu/base.h>
#include <stdbool.h>
#include <sys/rseq.h>

PERCPU__DECLS_BEGIN

/* The group flag '?' drops a descriptor together with its function. */
#define PERCPU__MULTI_DESCRIPTOR(n)                                            \
	".pushsection __rseq_cs, \"aw?\"\n\t"                                  \
	".balign 32\n"                                                         \
	"77" n "1:\n\t"                                                        \
	".long 0, 0\n\t"                                                       \
	".quad 77" n "2f, 77" n "3f - 77" n "2f, 77" n "4f\n\t"                \
	".popsection\n\t"

#define PERCPU__MULTI_ARM                                                      \
	PERCPU__MULTI_DESCRIPTOR("1")                                          \
	"leaq 7711b(%%rip), %%rax\n\t"                                         \
	"movq %%rax, %%fs:8(%[off])\n"                                         \
	"7712:\n\t"

/* How far this thread's slot is from a handle, to rax. */
#define PERCPU__MULTI_SLOT                                                     \
	"movl %c[limit](%[rt]), %%ecx\n\t"                                     \
	"cmpl %%ecx, %%fs:4(%[off])\n\t"                                       \
	"jae 7714f\n\t"                                                        \
	"movq %c[index](%[rt]), %%rax\n\t"                                     \
	"movl %%fs:(%%rax), %%eax\n\t"                                         \
	"cmpl %%ecx, %%eax\n\t"                                                \
	"jae 7714f\n\t"                                                        \
	"incl %%eax\n\t"                                                       \
	"imulq %c[stride](%[rt]), %%rax\n\t"

#define PERCPU__MULTI_DISARM "movq $0, %%fs:8(%[off])\n\t"

/* The four bytes before the abort address are the signature glibc registers. */
#define PERCPU__MULTI_ABORT(n, ...)                                            \
	".pushsection __rseq_failure, \"ax?\"\n\t"                             \
	".byte 0x0f, 0xb9, 0x3d\n\t"                                           \
	".long 0x53053053\n"                                                   \
	"77" n "4:\n\t" PERCPU__MULTI_DISARM __VA_ARGS__ ".popsection\n\t"

#define PERCPU__MULTI_WHERE(which)                                             \
	[off] "r"(__rseq_offset), [rt] "r"(&percpu__rt),                       \
		[limit] "i"(offsetof(struct percpu__rt, which)),               \
		[index] "i"(offsetof(struct percpu__rt, index)),               \
		[stride] "i"(offsetof(struct percpu__rt, stride))

/* Two adjacent fields. */
typedef long long percpu__two __attribute__((vector_size(16)));

#define PERCPU__TWO(name, a, b)                                                \
	const percpu__two name = { (long long)(a), (long long)(b) }
/* Once all values are made, lest making one changes another's register. */
#define PERCPU__FIXED(name, two) register percpu__two name __asm__(#name) = two

#if defined(__AVX__)
#define PERCPU__ADD_TWO                                                        \
	"vpaddq (%[h],%%rax), %[v], %%xmm15\n\t"                               \
	"vmovdqa %%xmm15, (%[h],%%rax)\n"
#else
#define PERCPU__ADD_TWO                                                        \
	"movdqa (%[h],%%rax), %%xmm15\n\t"                                     \
	"paddq %[v], %%xmm15\n\t"                                              \
	"movdqa %%xmm15, (%[h],%%rax)\n"
#endif

PERCPU__INLINE unsigned percpu__try_block_2(void PERCPU *h, uint64_t v0,
					    uint64_t v1)
{
	PERCPU__TWO(v, v0, v1);

	__asm__ goto(PERCPU__MULTI_ARM PERCPU__MULTI_SLOT PERCPU__ADD_TWO
		     "7713:\n\t" PERCPU__MULTI_DISARM PERCPU__MULTI_ABORT(
			     "1", "jmp %l[slow]\n\t")
		     :
		     : PERCPU__MULTI_WHERE(limit), [h] "r"(h), [v] "x"(v)
		     : "rax", "rcx", "xmm15", "cc", "memory"
		     : slow);
	return 2;
slow:
	return 0;
}

#define PERCPU__XMM_2_3 "xmm2", "xmm3"
#define PERCPU__XMM_4_TO_15                                                    \
	"xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",      \
		"xmm12", "xmm13", "xmm14", "xmm15"

PERCPU__INLINE unsigned percpu__try_block_4(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3)
{
	PERCPU__TWO(a, v0, v1);
	PERCPU__TWO(b, v2, v3);
	PERCPU__FIXED(xmm0, a);
	PERCPU__FIXED(xmm1, b);

	__asm__ goto(
		"vinserti128 $1, %%xmm1, %%ymm0, %%ymm15\n\t" PERCPU__MULTI_ARM
			PERCPU__MULTI_SLOT
		"vpaddq (%[h],%%rax), %%ymm15, %%ymm15\n\t"
		"vmovdqa %%ymm15, (%[h],%%rax)\n"
		"7713:\n\t" PERCPU__MULTI_DISARM
		"vzeroupper\n\t" PERCPU__MULTI_ABORT(
			"1", "vzeroupper\n\tjmp %l[slow]\n\t")
		:
		: PERCPU__MULTI_WHERE(limit_32), [h] "r"(h), "x"(xmm0),
		  "x"(xmm1)
		: "rax", "rcx", "cc", "memory", PERCPU__XMM_2_3,
		  PERCPU__XMM_4_TO_15
		: slow);
	return 4;
slow:
	return 0;
}

#define PERCPU__FIXED_0_TO_3                                                   \
	PERCPU__TWO(a, v0, v1);                                                \
	PERCPU__TWO(b, v2, v3);                                                \
	PERCPU__TWO(c, v4, v5);                                                \
	PERCPU__TWO(d, v6, v7);                                                \
	PERCPU__FIXED(xmm0, a);                                                \
	PERCPU__FIXED(xmm1, b);                                                \
	PERCPU__FIXED(xmm2, c);                                                \
	PERCPU__FIXED(xmm3, d)

PERCPU__INLINE unsigned percpu__try_block_64(void PERCPU *h, uint64_t v0,
					     uint64_t v1, uint64_t v2,
					     uint64_t v3, uint64_t v4,
					     uint64_t v5, uint64_t v6,
					     uint64_t v7)
{
	PERCPU__FIXED_0_TO_3;

	__asm__ goto("vinserti128 $1, %%xmm1, %%ymm0, %%ymm14\n\t"
		     "vinserti128 $1, %%xmm3, %%ymm2, %%ymm15\n\t"
		     "vinserti64x4 $1, %%ymm15, %%zmm14, "
		     "%%zmm15\n\t" PERCPU__MULTI_ARM PERCPU__MULTI_SLOT
		     "vpaddq (%[h],%%rax), %%zmm15, %%zmm15\n\t"
		     "vmovdqa64 %%zmm15, (%[h],%%rax)\n"
		     "7713:\n\t" PERCPU__MULTI_DISARM
		     "vzeroupper\n\t" PERCPU__MULTI_ABORT(
			     "1", "vzeroupper\n\tjmp %l[slow]\n\t")
		     :
		     : PERCPU__MULTI_WHERE(limit_64), [h] "r"(h), "x"(xmm0),
		       "x"(xmm1), "x"(xmm2), "x"(xmm3)
		     : "rax", "rcx", "cc", "memory", PERCPU__XMM_4_TO_15
		     : slow);
	return 8;
slow:
	return 0;
}

/* The same in two sequences; returns how many fields are done. */
PERCPU__INLINE unsigned percpu__try_block_32_32(void PERCPU *h, uint64_t v0,
						uint64_t v1, uint64_t v2,
						uint64_t v3, uint64_t v4,
						uint64_t v5, uint64_t v6,
						uint64_t v7)
{
	PERCPU__FIXED_0_TO_3;

	__asm__ goto(
		"vinserti128 $1, %%xmm1, %%ymm0, %%ymm14\n\t"
		"vinserti128 $1, %%xmm3, %%ymm2, %%ymm15\n\t" PERCPU__MULTI_ARM
			PERCPU__MULTI_SLOT "movq %c[index](%[rt]), %%rsi\n\t"
		"movl %%fs:(%%rsi), %%ecx\n\t"
		"movl %%fs:4(%[off]), %%edx\n\t"
		"vpaddq (%[h],%%rax), %%ymm14, %%ymm14\n\t"
		"vmovdqa %%ymm14, (%[h],%%rax)\n"
		"7713:\n\t" PERCPU__MULTI_DESCRIPTOR(
			"2") "leaq 7721b(%%rip), %%rdi\n\t"
			     "movq %%rdi, %%fs:8(%[off])\n"
			     "7722:\n\t"
			     "cmpl %%edx, %%fs:4(%[off])\n\t"
			     "jne 7724f\n\t"
			     "cmpl %%ecx, %%fs:(%%rsi)\n\t"
			     "jne 7724f\n\t"
			     "vpaddq 32(%[h],%%rax), %%ymm15, %%ymm15\n\t"
			     "vmovdqa %%ymm15, 32(%[h],%%rax)\n"
			     "7723:\n\t" PERCPU__MULTI_DISARM
			     "vzeroupper\n\t" PERCPU__MULTI_ABORT(
				     "1", "vzeroupper\n\tjmp %l[slow]\n\t")
				     PERCPU__MULTI_ABORT(
					     "2",
					     "vzeroupper\n\tjmp %l[half]\n\t")
		:
		: PERCPU__MULTI_WHERE(limit_32), [h] "r"(h), "x"(xmm0),
		  "x"(xmm1), "x"(xmm2), "x"(xmm3)
		: "rax", "rcx", "rdx", "rsi", "rdi", "cc", "memory",
		  PERCPU__XMM_4_TO_15
		: slow, half);
	return 8;
half:
	return 4;
slow:
	return 0;
}

PERCPU__INLINE unsigned percpu__try_block_8(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3, uint64_t v4,
					    uint64_t v5, uint64_t v6,
					    uint64_t v7)
{
	return __builtin_expect(percpu__rt.limit_64 != 0, 1) ?
		       percpu__try_block_64(h, v0, v1, v2, v3, v4, v5, v6, v7) :
		       percpu__try_block_32_32(h, v0, v1, v2, v3, v4, v5, v6,
					       v7);
}

#undef PERCPU__FIXED_0_TO_3
#undef PERCPU__XMM_2_3
#undef PERCPU__XMM_4_TO_15
#undef PERCPU__FIXED
#undef PERCPU__ADD_TWO
#undef PERCPU__TWO

/*
 * d(n) is n, negative if n is odd; s(k) goes 7fffffff, 80000000, 7ffffffe,
 * 80000001, 7ffffffd. The add of pair k, whose width is a constant.
 */
#define PERCPU__ADD_STEP(k, d)                                                 \
	"subl $" d ", %k[stage]\n\t"                                           \
	".if %c[w" #k "] == 8\n\t"                                             \
	"addq %[v" #k "], (%[h" #k "],%%rax)\n\t"                              \
	".elseif %c[w" #k "] == 4\n\t"                                         \
	"addl %k[v" #k "], (%[h" #k "],%%rax)\n\t"                             \
	".elseif %c[w" #k "] == 2\n\t"                                         \
	"addw %w[v" #k "], (%[h" #k "],%%rax)\n\t"                             \
	".else\n\t"                                                            \
	"addb %b[v" #k "], (%[h" #k "],%%rax)\n\t"                             \
	".endif\n\t"

/*
 * To stage: how many adds are done, or -1 for 0. First whether flags are those
 * of a subtraction, to eax; then k of s(k), whose distance from s(0) is k / 2,
 * negated bitwise if k is odd.
 */
#define PERCPU__ADD_DONE                                                       \
	"sets %%al\n\t"                                                        \
	"setc %%cl\n\t"                                                        \
	"seto %%ah\n\t"                                                        \
	"cmpb %%cl, %%al\n\t"                                                  \
	"sete %%al\n\t"                                                        \
	"andb %%ah, %%al\n\t"                                                  \
	"movzbl %%al, %%eax\n\t"                                               \
	"xorl $0x7fffffff, %k[stage]\n\t"                                      \
	"movl %k[stage], %%ecx\n\t"                                            \
	"sarl $31, %%ecx\n\t"                                                  \
	"addl %k[stage], %k[stage]\n\t"                                        \
	"xorl %%ecx, %k[stage]\n\t"                                            \
	"subl %%eax, %k[stage]\n\t"                                            \
	"jmp 775b\n\t"

#define PERCPU__ADD_PAIR(k)                                                    \
	[h##k] "r"(percpu__h##k), [v##k] "er"(percpu__v##k),                   \
		[w##k] "i"(percpu__w##k)

#define PERCPU__ADDEND(k)                                                      \
	{                                                                      \
		percpu__h##k, percpu__v##k, percpu__w##k                       \
	}

/* @n pairs; @end is s(n); then their addends. */
#define PERCPU__ADD_N(n, end, steps, pairs, ...)                               \
	int32_t percpu__stage;                                                 \
                                                                               \
	__asm__ volatile("movl $0x7fffffff, %k[stage]\n\t" PERCPU__MULTI_ARM   \
				 PERCPU__MULTI_SLOT steps                      \
			 "7713:\n\t" PERCPU__MULTI_DISARM                      \
			 "775:\n\t" PERCPU__MULTI_ABORT("1", PERCPU__ADD_DONE) \
			 : [stage] "=&r"(percpu__stage)                        \
			 : PERCPU__MULTI_WHERE(limit), pairs                   \
			 : "rax", "rcx", "cc", "memory");                      \
	if (__builtin_expect(percpu__stage != (int32_t)(end), 0)) {            \
		const struct percpu_addend percpu__list[] = { __VA_ARGS__ };   \
                                                                               \
		percpu__add_rest(percpu__list, n, percpu__stage);              \
	}

#define PERCPU__COMMA ,

#define PERCPU__ADD_2                                                          \
	PERCPU__ADD_N(2, 0x7ffffffe,                                           \
		      PERCPU__ADD_STEP(0, "-1") PERCPU__ADD_STEP(1, "2"),      \
		      PERCPU__ADD_PAIR(0) PERCPU__COMMA PERCPU__ADD_PAIR(1),   \
		      PERCPU__ADDEND(0), PERCPU__ADDEND(1))

#define PERCPU__ADD_3                                                          \
	PERCPU__ADD_N(3, 0x80000001,                                           \
		      PERCPU__ADD_STEP(0, "-1") PERCPU__ADD_STEP(1, "2")       \
			      PERCPU__ADD_STEP(2, "-3"),                       \
		      PERCPU__ADD_PAIR(0) PERCPU__COMMA PERCPU__ADD_PAIR(1)    \
			      PERCPU__COMMA PERCPU__ADD_PAIR(2),               \
		      PERCPU__ADDEND(0), PERCPU__ADDEND(1), PERCPU__ADDEND(2))

#define PERCPU__ADD_4                                                          \
	PERCPU__ADD_N(4, 0x7ffffffd,                                           \
		      PERCPU__ADD_STEP(0, "-1") PERCPU__ADD_STEP(1, "2")       \
			      PERCPU__ADD_STEP(2, "-3")                        \
				      PERCPU__ADD_STEP(3, "4"),                \
		      PERCPU__ADD_PAIR(0) PERCPU__COMMA PERCPU__ADD_PAIR(1)    \
			      PERCPU__COMMA PERCPU__ADD_PAIR(2)                \
				      PERCPU__COMMA PERCPU__ADD_PAIR(3),       \
		      PERCPU__ADDEND(0), PERCPU__ADDEND(1), PERCPU__ADDEND(2), \
		      PERCPU__ADDEND(3))

PERCPU__DECLS_END
#endif

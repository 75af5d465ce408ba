/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_BLOCK_ANY_H
#define PERCPU_ARCH_X86_64_BLOCK_ANY_H
/*
 * x86_64_block_any.h: blocks of four and eight fields in programs compiled for
 * any x86-64; part of x86_64_block.h, which tells of both parts.
 */
/* Once all values are made, lest making one changes another's register. */
#define PERCPU__FIXED(name, two) register percpu__two name __asm__(#name) = two

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
		"vinserti128 $1, %%xmm1, %%ymm0, %%ymm13\n\t"
		"vinserti128 $1, %%xmm3, %%ymm2, %%ymm14\n\t" PERCPU__HALVES(
			"%%ymm13", "%%ymm14", "vzeroupper\n\t")
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

#undef PERCPU__FIXED_0_TO_3
#undef PERCPU__XMM_2_3
#undef PERCPU__XMM_4_TO_15
#undef PERCPU__FIXED

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_BLOCK_WIDE_H
#define PERCPU_ARCH_X86_64_BLOCK_WIDE_H
/*
 * x86_64_block_wide.h: blocks of four and eight fields in programs compiled for
 * AVX2 or AVX-512; part of x86_64_block.h, which tells of both parts. Their
 * compiler knows that wide registers are in use, from the operands.
 */
typedef long long percpu__four __attribute__((vector_size(32)));

#define PERCPU__FOUR(name, a, b, c, d)                                         \
	const percpu__four name = { (long long)(a), (long long)(b),            \
				    (long long)(c), (long long)(d) }

PERCPU__INLINE unsigned percpu__try_block_4(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3)
{
	PERCPU__FOUR(v, v0, v1, v2, v3);

	__asm__ goto(PERCPU__MULTI_ARM PERCPU__MULTI_SLOT
		     "vpaddq (%[h],%%rax), %[v], %%ymm15\n\t"
		     "vmovdqa %%ymm15, (%[h],%%rax)\n"
		     "7713:\n\t" PERCPU__MULTI_DISARM PERCPU__MULTI_ABORT(
			     "1", "jmp %l[slow]\n\t")
		     :
		     : PERCPU__MULTI_WHERE(limit_32), [h] "r"(h), [v] "x"(v)
		     : "rax", "rcx", "xmm15", "cc", "memory"
		     : slow);
	return 4;
slow:
	return 0;
}

PERCPU__INLINE unsigned percpu__try_block_64(void PERCPU *h, uint64_t v0,
					     uint64_t v1, uint64_t v2,
					     uint64_t v3, uint64_t v4,
					     uint64_t v5, uint64_t v6,
					     uint64_t v7)
{
	PERCPU__FOUR(a, v0, v1, v2, v3);
	PERCPU__FOUR(b, v4, v5, v6, v7);

	__asm__ goto(
		"vinserti64x4 $1, %[b], %g[a], %%zmm15\n\t" PERCPU__MULTI_ARM
			PERCPU__MULTI_SLOT
		"vpaddq (%[h],%%rax), %%zmm15, %%zmm15\n\t"
		"vmovdqa64 %%zmm15, (%[h],%%rax)\n"
		"7713:\n\t" PERCPU__MULTI_DISARM PERCPU__MULTI_ABORT(
			"1", "jmp %l[slow]\n\t")
		:
		: PERCPU__MULTI_WHERE(limit_64), [h] "r"(h), [a] "x"(a),
		  [b] "x"(b)
		: "rax", "rcx", "xmm15", "cc", "memory"
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
	PERCPU__FOUR(a, v0, v1, v2, v3);
	PERCPU__FOUR(b, v4, v5, v6, v7);

	__asm__ goto(PERCPU__HALVES("%[a]", "%[b]", "")
		     :
		     : PERCPU__MULTI_WHERE(limit_32), [h] "r"(h), [a] "x"(a),
		       [b] "x"(b)
		     : "rax", "rcx", "rdx", "rsi", "rdi", "xmm15", "cc",
		       "memory"
		     : slow, half);
	return 8;
half:
	return 4;
slow:
	return 0;
}

#undef PERCPU__FOUR

#endif

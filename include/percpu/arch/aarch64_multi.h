/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_MULTI_H
#define PERCPU_ARCH_AARCH64_MULTI_H
/*
 * aarch64_multi.h: blocks, two fields in one restartable sequence; what arm,
 * slot and out are, aarch64_section.h tells.
 *
 *   start:   p = h + (i + 1) * stride          as above, below limit_16
 *            a, b = p[0], p[1]                 ldp
 *            p[0], p[1] = a + v0, b + v1       stp <- commits both
 *   end:
 *
 * stp is one store only with FEAT_LSE2, which limit_16 stands for: DESIGN.md,
 * "Several adds at once", 8. Elsewhere limit_16 is 0, so that the compare which
 * is made anyway leads to the library, and that adds field by field.
 *
 * Blocks of four and eight are sequences of two in a row, each whole: each is
 * exactly once by itself and finds its slot anew, so nothing has to be known of
 * the one before. Sharing what the first has loaded, as on x86-64, would save
 * 5 of 24 instructions of each further one, for registers that stay taken.
 * Adds anywhere are single ones, one after the other: here no instruction
 * stores and tells of it at once.
 */
#include <percpu/arch/aarch64_section.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE unsigned percpu__try_block_2(void PERCPU *h, uint64_t v0,
					    uint64_t v1)
{
	__asm__ goto(
		PERCPU__ARM PERCPU__SLOT
		"ldp x16, x17, [x15]\n\t"
		"add x16, x16, %[v0]\n\t"
		"add x17, x17, %[v1]\n\t"
		"stp x16, x17, [x15]" PERCPU__DISARM PERCPU__ABORT
		:
		: PERCPU__WHERE_BELOW(limit_16, h), [v0] "rI"(v0), [v1] "rI"(v1)
		: "x14", "x15", "x16", "x17", "cc", "memory"
		: slow);
	return 2;
slow:
	return 0;
}

/* Fields @at and @at + 1 of the block @h. */
PERCPU__INLINE bool percpu__try_two(void PERCPU *h, size_t at, uint64_t v0,
				    uint64_t v1)
{
	return __builtin_expect(
		percpu__try_block_2((void PERCPU *)((uintptr_t)h + 8 * at), v0,
				    v1) != 0,
		1);
}

PERCPU__INLINE unsigned percpu__try_block_4(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3)
{
	if (!percpu__try_two(h, 0, v0, v1))
		return 0;
	return percpu__try_two(h, 2, v2, v3) ? 4 : 2;
}

PERCPU__INLINE unsigned percpu__try_block_8(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3, uint64_t v4,
					    uint64_t v5, uint64_t v6,
					    uint64_t v7)
{
	if (!percpu__try_two(h, 0, v0, v1))
		return 0;
	if (!percpu__try_two(h, 2, v2, v3))
		return 2;
	if (!percpu__try_two(h, 4, v4, v5))
		return 4;
	return percpu__try_two(h, 6, v6, v7) ? 8 : 6;
}

PERCPU__DECLS_END

#include <percpu/arch/single_multi.h>

#endif

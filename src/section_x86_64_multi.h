/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_X86_64_MULTI_H
#define PERCPU_SRC_SECTION_X86_64_MULTI_H
/*
 * section_x86_64_multi.h: the blocks of percpu/arch/x86_64_multi.h on an area
 * known at run time, with values in memory.
 */

/* The most bytes that one instruction stores on this processor. */
static inline uint32_t percpu__section_bytes(void)
{
	if (__builtin_cpu_supports("avx512f"))
		return 64;
	return __builtin_cpu_supports("avx2") ? 32 : 16;
}

#define PERCPU__RUN_BLOCK(load, commit, s, v)                                  \
	__asm__ goto(                                                          \
		load PERCPU__RUN_ARM PERCPU__OBJECT commit PERCPU__RUN_DISARM  \
		:                                                              \
		: PERCPU__ON(s), [v] "r"(v)                                    \
		: "rax", "xmm0", "cc", "memory"                                \
		: aborted, refused);                                           \
	PERCPU__ENDS(s)

/* The caller cleans the registers that the two wider ones leave in use. */
static inline enum percpu__ran percpu__section_block_2(struct percpu__section s,
						       const uint64_t *v)
{
	PERCPU__RUN_BLOCK("movdqu (%[v]), %%xmm0\n\t",
			  "paddq (%%rax), %%xmm0\n\t"
			  "movdqa %%xmm0, (%%rax)",
			  s, v);
}

static inline enum percpu__ran percpu__section_block_4(struct percpu__section s,
						       const uint64_t *v)
{
	PERCPU__RUN_BLOCK("vmovdqu (%[v]), %%ymm0\n\t",
			  "vpaddq (%%rax), %%ymm0, %%ymm0\n\t"
			  "vmovdqa %%ymm0, (%%rax)",
			  s, v);
}

static inline enum percpu__ran percpu__section_block_8(struct percpu__section s,
						       const uint64_t *v)
{
	PERCPU__RUN_BLOCK("vmovdqu64 (%[v]), %%zmm0\n\t",
			  "vpaddq (%%rax), %%zmm0, %%zmm0\n\t"
			  "vmovdqa64 %%zmm0, (%%rax)",
			  s, v);
}

#undef PERCPU__RUN_BLOCK

/* After the wider blocks: no register is in use beyond its lower 16 bytes. */
static inline void percpu__section_clean(void)
{
	__asm__ volatile("vzeroupper"
			 :
			 :
			 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
			   "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
			   "xmm12", "xmm13", "xmm14", "xmm15");
}

#endif

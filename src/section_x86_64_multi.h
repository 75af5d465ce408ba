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
		load ".pushsection __rseq_cs, \"aw\"\n\t"                      \
		     ".balign 32\n"                                            \
		     "771:\n\t"                                                \
		     ".long 0, 0\n\t"                                          \
		     ".quad 772f, 773f - 772f, 774f\n\t"                       \
		     ".popsection\n\t"                                         \
		     "leaq 771b(%%rip), %%rax\n\t"                             \
		     "movq %%rax, 8(%[area])\n"                                \
		     "772:\n\t"                                                \
		     "cmpl $0, 4(%[area])\n\t"                                 \
		     "jl %l[refused]\n\t"                                      \
		     "movl (%[index]), %%eax\n\t"                              \
		     "cmpl %[slots], %%eax\n\t"                                \
		     "jae %l[refused]\n\t"                                     \
		     "incl %%eax\n\t"                                          \
		     "imulq %[stride], %%rax\n\t"                              \
		     "addq %[h], %%rax\n\t" commit "773:\n\t"                  \
		     "movq $0, 8(%[area])\n\t"                                 \
		     ".pushsection __rseq_failure, \"ax\"\n\t"                 \
		     ".byte 0x0f, 0xb9, 0x3d\n\t"                              \
		     ".long 0x53053053\n"                                      \
		     "774:\n\t"                                                \
		     "jmp %l[aborted]\n\t"                                     \
		     ".popsection\n\t"                                         \
		:                                                              \
		: [area] "r"((s).area), [index] "r"((s).index),                \
		  [slots] "m"(percpu__rt.nr_slots),                            \
		  [stride] "m"(percpu__rt.stride), [h] "r"((s).h), [v] "r"(v)  \
		: "rax", "xmm0", "cc", "memory"                                \
		: aborted, refused);                                           \
	return PERCPU__COMMITTED;                                              \
	aborted: /* the kernel has cleared rseq_cs */                          \
	return PERCPU__ABORTED;                                                \
	refused:                                                               \
	__atomic_store_n(&(s).area->rseq_cs, 0, __ATOMIC_RELAXED);             \
	return PERCPU__REFUSED

/* The caller cleans the registers that the two wider ones leave in use. */
static inline enum percpu__ran percpu__section_block_2(struct percpu__section s,
						       const uint64_t *v)
{
	PERCPU__RUN_BLOCK("movdqu (%[v]), %%xmm0\n\t",
			  "paddq (%%rax), %%xmm0\n\t"
			  "movdqa %%xmm0, (%%rax)\n",
			  s, v);
}

static inline enum percpu__ran percpu__section_block_4(struct percpu__section s,
						       const uint64_t *v)
{
	PERCPU__RUN_BLOCK("vmovdqu (%[v]), %%ymm0\n\t",
			  "vpaddq (%%rax), %%ymm0, %%ymm0\n\t"
			  "vmovdqa %%ymm0, (%%rax)\n",
			  s, v);
}

static inline enum percpu__ran percpu__section_block_8(struct percpu__section s,
						       const uint64_t *v)
{
	PERCPU__RUN_BLOCK("vmovdqu64 (%[v]), %%zmm0\n\t",
			  "vpaddq (%%rax), %%zmm0, %%zmm0\n\t"
			  "vmovdqa64 %%zmm0, (%%rax)\n",
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

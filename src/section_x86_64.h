/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_X86_64_H
#define PERCPU_SRC_SECTION_X86_64_H
/*
 * section_x86_64.h: the sequence of percpu/arch/x86_64.h, with two differences:
 * the area is a pointer, and a negative cpu_id and a large index are looked for
 * apart, since an index that is a concurrency id does not show that a thread
 * has no registration.
 *
 *   arm:     rseq_cs = &descriptor
 *   start:   if (cpu_id < 0) goto refused
 *            i = *index; if (i >= nr_slots) goto refused
 *            p = h + (i + 1) * stride
 *            commit to *p
 *   end:     rseq_cs = 0
 */
#define PERCPU__HAVE_SECTIONS 1

#define PERCPU__RUN(commit, s, v, vclass)                                      \
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"                      \
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
		     "addq %[h], %%rax\n\t" commit "\n"                        \
		     "773:\n\t"                                                \
		     "movq $0, 8(%[area])\n\t"                                 \
		     ".pushsection __rseq_failure, \"ax\"\n\t"                 \
		     ".byte 0x0f, 0xb9, 0x3d\n\t"                              \
		     ".long 0x53053053\n"                                      \
		     "774:\n\t"                                                \
		     "jmp %l[aborted]\n\t"                                     \
		     ".popsection\n\t"                                         \
		     :                                                         \
		     : [area] "r"((s).area), [index] "r"((s).index),           \
		       [h] "r"((s).h), [v] vclass(v),                          \
		       [slots] "m"(percpu__rt.nr_slots),                       \
		       [stride] "m"(percpu__rt.stride)                         \
		     : "rax", "cc", "memory"                                   \
		     : aborted, refused);                                      \
	return PERCPU__COMMITTED;                                              \
	aborted: /* the kernel has cleared rseq_cs */                          \
	return PERCPU__ABORTED;                                                \
	refused:                                                               \
	__atomic_store_n(&(s).area->rseq_cs, 0, __ATOMIC_RELAXED);             \
	return PERCPU__REFUSED

#define PERCPU__RUN_OP(op, bytes, bits, instruction, vclass)                   \
	static inline enum percpu__ran percpu__section_##op##_##bytes(         \
		struct percpu__section s, uint##bits##_t v)                    \
	{                                                                      \
		PERCPU__RUN(instruction ", (%%rax)", s, v, vclass);            \
	}

PERCPU__RUN_OP(add, 1, 8, "addb %b[v]", "q")
PERCPU__RUN_OP(add, 2, 16, "addw %w[v]", "r")
PERCPU__RUN_OP(add, 4, 32, "addl %k[v]", "r")
PERCPU__RUN_OP(add, 8, 64, "addq %[v]", "r")
PERCPU__RUN_OP(write, 1, 8, "movb %b[v]", "q")
PERCPU__RUN_OP(write, 2, 16, "movw %w[v]", "r")
PERCPU__RUN_OP(write, 4, 32, "movl %k[v]", "r")
PERCPU__RUN_OP(write, 8, 64, "movq %[v]", "r")

#endif

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

/* Arm; the number of this thread's slot to eax. */
#define PERCPU__RUN_ARM                                                        \
	".pushsection __rseq_cs, \"aw\"\n\t"                                   \
	".balign 32\n"                                                         \
	"771:\n\t"                                                             \
	".long 0, 0\n\t"                                                       \
	".quad 772f, 773f - 772f, 774f\n\t"                                    \
	".popsection\n\t"                                                      \
	"leaq 771b(%%rip), %%rax\n\t"                                          \
	"movq %%rax, 8(%[area])\n"                                             \
	"772:\n\t"                                                             \
	"cmpl $0, 4(%[area])\n\t"                                              \
	"jl %l[refused]\n\t"                                                   \
	"movl (%[index]), %%eax\n\t"                                           \
	"cmpl %[slots], %%eax\n\t"                                             \
	"jae %l[refused]\n\t"

/* After the instruction that commits. */
#define PERCPU__RUN_DISARM                                                     \
	"\n"                                                                   \
	"773:\n\t"                                                             \
	"movq $0, 8(%[area])\n\t"                                              \
	".pushsection __rseq_failure, \"ax\"\n\t"                              \
	".byte 0x0f, 0xb9, 0x3d\n\t"                                           \
	".long 0x53053053\n"                                                   \
	"774:\n\t"                                                             \
	"jmp %l[aborted]\n\t"                                                  \
	".popsection\n\t"

#define PERCPU__RUN_WHERE(s)                                                   \
	[area] "r"((s).area), [index] "r"((s).index),                          \
		[slots] "m"(percpu__rt.nr_slots)

/* The slot of this thread, of number eax, of handle h. */
#define PERCPU__OBJECT                                                         \
	"incl %%eax\n\t"                                                       \
	"imulq %[stride], %%rax\n\t"                                           \
	"addq %[h], %%rax\n\t"

#define PERCPU__ON(s)                                                          \
	PERCPU__RUN_WHERE(s), [h] "r"((s).h), [stride] "m"(percpu__rt.stride)

#define PERCPU__RUN(commit, s, v, vclass)                                      \
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT commit PERCPU__RUN_DISARM  \
		     :                                                         \
		     : PERCPU__ON(s), [v] vclass(v)                            \
		     : "rax", "cc", "memory"                                   \
		     : aborted, refused);                                      \
	PERCPU__ENDS(s)

#define PERCPU__RUN_OP(op, bytes, bits, instruction, vclass)                   \
	static inline enum percpu__ran percpu__section_##op##_##bytes(         \
		struct percpu__section s, uint##bits##_t v)                    \
	{                                                                      \
		PERCPU__RUN(instruction ", (%%rax)", s, v, vclass);            \
	}

#define PERCPU__RUN_OPS(op, instruction)                                       \
	PERCPU__RUN_OP(op, 1, 8, instruction "b %b[v]", "q")                   \
	PERCPU__RUN_OP(op, 2, 16, instruction "w %w[v]", "r")                  \
	PERCPU__RUN_OP(op, 4, 32, instruction "l %k[v]", "r")                  \
	PERCPU__RUN_OP(op, 8, 64, instruction "q %[v]", "r")

PERCPU__RUN_OPS(add, "add")
PERCPU__RUN_OPS(and, "and")
PERCPU__RUN_OPS(or, "or")
PERCPU__RUN_OPS(xor, "xor")
PERCPU__RUN_OPS(write, "mov")

/*
 * guarded.h, after the check of the index:
 *
 *            if (word & mask) goto missed
 *            commit *p += v, p of the handle beside the word
 */
static inline enum percpu__ran
percpu__section_guarded_add(struct percpu__section s,
			    const struct percpu__guarded *g, uint64_t mask,
			    uint64_t v)
{
	__asm__ goto(PERCPU__RUN_ARM "testq %[mask], (%[g])\n\t"
				     "jnz %l[missed]\n\t"
				     "incl %%eax\n\t"
				     "imulq %[stride], %%rax\n\t"
				     "addq 8(%[g]), %%rax\n\t"
				     "addq %[v], (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__RUN_WHERE(s), [stride] "m"(percpu__rt.stride),
		       [g] "r"(g), [mask] "r"(mask), [v] "r"(v)
		     : "rax", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#include "section_x86_64_value.h"

/*
 * On the caches, after the check of the index:
 *
 *            c = base; if (c == NULL) goto missed
 *            b = c + i * stride + at
 *   pop:     n = b->count; if (n == 0) goto missed
 *            *out = b->item[--n]; commit n to b->count
 *   push:    n = b->count; if (n >= limit) goto missed
 *            b->item[n++] = item; commit n to b->count
 *
 * *out is the caller's own: written for nothing, it does no harm. Nor does an
 * item beyond count.
 */
#define PERCPU__BIN                                                            \
	"imulq 8(%[caches]), %%rax\n\t"                                        \
	"movq (%[caches]), %%rcx\n\t"                                          \
	"testq %%rcx, %%rcx\n\t"                                               \
	"jz %l[missed]\n\t"                                                    \
	"addq %%rcx, %%rax\n\t"                                                \
	"addq %[at], %%rax\n\t"                                                \
	"movq (%%rax), %%rcx\n\t"

static inline enum percpu__ran
percpu__section_pop(struct percpu__section s, const struct percpu__caches *c,
		    uint64_t at, uint64_t *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__BIN
		     "subq $1, %%rcx\n\t"
		     "jc %l[missed]\n\t"
		     "movq 8(%%rax,%%rcx,8), %%rdx\n\t"
		     "movq %%rdx, (%[out])\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__RUN_WHERE(s), [caches] "r"(c), [at] "r"(at),
		       [out] "r"(out)
		     : "rax", "rcx", "rdx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

static inline enum percpu__ran
percpu__section_push(struct percpu__section s, const struct percpu__caches *c,
		     uint64_t at, uint64_t limit, uint64_t item)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__BIN
		     "cmpq %[limit], %%rcx\n\t"
		     "jae %l[missed]\n\t"
		     "movq %[item], 8(%%rax,%%rcx,8)\n\t"
		     "incq %%rcx\n\t"
		     "movq %%rcx, (%%rax)" PERCPU__RUN_DISARM
		     :
		     : PERCPU__RUN_WHERE(s), [caches] "r"(c), [at] "r"(at),
		       [limit] "r"(limit), [item] "r"(item)
		     : "rax", "rcx", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

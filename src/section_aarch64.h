/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_AARCH64_H
#define PERCPU_SRC_SECTION_AARCH64_H
/*
 * section_aarch64.h: the sequence of percpu/arch/aarch64.h, with two
 * differences: the area is a pointer, and a negative cpu_id and a large index
 * are looked for apart, since an index that is a concurrency id does not show
 * that a thread has no registration.
 *
 *   arm:     rseq_cs = &descriptor
 *   start:   if (cpu_id < 0) goto refused
 *            i = *index; if (i >= nr_slots) goto refused
 *            p = h + (i + 1) * stride
 *            commit to *p
 *   end:     rseq_cs = 0
 *
 * Conditional branches lead to labels of the function: the library is smaller
 * than they reach.
 */
#define PERCPU__HAVE_SECTIONS 1

/* Arm; the number of this thread's slot to x15. */
#define PERCPU__RUN_ARM                                                        \
	".pushsection __rseq_cs, \"aw\"\n\t"                                   \
	".balign 32\n"                                                         \
	"771:\n\t"                                                             \
	".long 0, 0\n\t"                                                       \
	".quad 772f, 773f - 772f, 774f\n\t"                                    \
	".popsection\n\t"                                                      \
	"adrp x16, 771b\n\t"                                                   \
	"add x16, x16, :lo12:771b\n\t"                                         \
	"str x16, [%[area], #8]\n"                                             \
	"772:\n\t"                                                             \
	"ldr w15, [%[area], #4]\n\t"                                           \
	"cmp w15, #0\n\t"                                                      \
	"b.lt %l[refused]\n\t"                                                 \
	"ldr w15, [%[index]]\n\t"                                              \
	"ldr w16, %[slots]\n\t"                                                \
	"cmp w15, w16\n\t"                                                     \
	"b.hs %l[refused]\n\t"

/* After the instruction that commits. */
#define PERCPU__RUN_DISARM                                                     \
	"\n"                                                                   \
	"773:\n\t"                                                             \
	"str xzr, [%[area], #8]\n\t"                                           \
	".pushsection __rseq_failure, \"ax\"\n\t"                              \
	".balign 4\n\t"                                                        \
	".inst 0xd428bc00\n"                                                   \
	"774:\n\t"                                                             \
	"b %l[aborted]\n\t"                                                    \
	".popsection\n\t"

#define PERCPU__RUN_WHERE(s)                                                   \
	[area] "r"((s).area), [index] "r"((s).index),                          \
		[slots] "m"(percpu__rt.nr_slots)

/* The slot of this thread, of number x15, of handle h; x16 is used. */
#define PERCPU__OBJECT                                                         \
	"ldr x16, %[stride]\n\t"                                               \
	"add w15, w15, #1\n\t"                                                 \
	"madd x15, x15, x16, %[h]\n\t"

#define PERCPU__ON(s)                                                          \
	PERCPU__RUN_WHERE(s), [h] "r"((s).h), [stride] "m"(percpu__rt.stride)

#define PERCPU__RUN(commit, s, v)                                              \
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT commit PERCPU__RUN_DISARM  \
		     :                                                         \
		     : PERCPU__ON(s), [v] "r"(v)                               \
		     : "x15", "x16", "x17", "cc", "memory"                     \
		     : aborted, refused);                                      \
	PERCPU__ENDS(s)

/* @r: w or x, the register's width; @size: b, h or nothing, the slot's. */
#define PERCPU__RUN_OP(op, bytes, bits, r, size, instruction)                  \
	static inline enum percpu__ran percpu__section_##op##_##bytes(         \
		struct percpu__section s, uint##bits##_t v)                    \
	{                                                                      \
		PERCPU__RUN("ldr" size " " r "16, [x15]\n\t" instruction " " r \
			    "16, " r "16, %" r "[v]\n\t"                       \
			    "str" size " " r "16, [x15]",                      \
			    s, v);                                             \
	}

#define PERCPU__RUN_OPS(bytes, bits, r, size)                                  \
	PERCPU__RUN_OP(add, bytes, bits, r, size, "add")                       \
	PERCPU__RUN_OP(and, bytes, bits, r, size, "and")                       \
	PERCPU__RUN_OP(or, bytes, bits, r, size, "orr")                        \
	PERCPU__RUN_OP(xor, bytes, bits, r, size, "eor")                       \
	static inline enum percpu__ran percpu__section_write_##bytes(          \
		struct percpu__section s, uint##bits##_t v)                    \
	{                                                                      \
		PERCPU__RUN("str" size " %" r "[v], [x15]", s, v);             \
	}

PERCPU__RUN_OPS(1, 8, "w", "b")
PERCPU__RUN_OPS(2, 16, "w", "h")
PERCPU__RUN_OPS(4, 32, "w", "")
PERCPU__RUN_OPS(8, 64, "x", "")

/*
 * guarded.h, after the check of the index:
 *
 *            if (word & mask) goto missed
 *            commit *p += v, p of the handle beside the word
 *
 * percpu/arch/aarch64_guarded.h says why 0 is added to an address.
 */
static inline enum percpu__ran
percpu__section_guarded_add(struct percpu__section s,
			    const struct percpu__guarded *g, uint64_t mask,
			    uint64_t v)
{
	__asm__ goto(PERCPU__RUN_ARM "ldr x16, [%[g]]\n\t"
				     "ands x16, x16, %[mask]\n\t"
				     "b.ne %l[missed]\n\t"
				     "add x17, %[g], x16\n\t"
				     "ldr x17, [x17, #8]\n\t"
				     "ldr x16, %[stride]\n\t"
				     "add w15, w15, #1\n\t"
				     "madd x15, x15, x16, x17\n\t"
				     "ldr x16, [x15]\n\t"
				     "add x16, x16, %[v]\n\t"
				     "str x16, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__RUN_WHERE(s), [stride] "m"(percpu__rt.stride),
		       [g] "r"(g), [mask] "r"(mask), [v] "r"(v)
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#include "section_aarch64_value.h"

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
 *
 * The address of the bin depends on base, so no look at the bin comes before
 * that at base: whoever finds caches open again finds them emptied. Stores need
 * no order: others look after a fence (cache.c).
 */
#define PERCPU__BIN                                                            \
	"ldp x16, x17, [%[caches]]\n\t"                                        \
	"cbz x16, %l[missed]\n\t"                                              \
	"madd x15, x15, x17, x16\n\t"                                          \
	"add x15, x15, %[at]\n\t"                                              \
	"ldr x16, [x15]\n\t"

static inline enum percpu__ran
percpu__section_pop(struct percpu__section s, const struct percpu__caches *c,
		    uint64_t at, uint64_t *out)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__BIN
		     "cbz x16, %l[missed]\n\t"
		     "ldr x17, [x15, x16, lsl #3]\n\t"
		     "sub x16, x16, #1\n\t"
		     "str x17, [%[out]]\n\t"
		     "str x16, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__RUN_WHERE(s), [caches] "r"(c), [at] "r"(at),
		       [out] "r"(out)
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

static inline enum percpu__ran
percpu__section_push(struct percpu__section s, const struct percpu__caches *c,
		     uint64_t at, uint64_t limit, uint64_t item)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__BIN
		     "cmp x16, %[limit]\n\t"
		     "b.hs %l[missed]\n\t"
		     "add x16, x16, #1\n\t"
		     "str %[item], [x15, x16, lsl #3]\n\t"
		     "str x16, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__RUN_WHERE(s), [caches] "r"(c), [at] "r"(at),
		       [limit] "r"(limit), [item] "r"(item)
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused, missed);
	PERCPU__MISSED_ENDS(s);
}

#endif

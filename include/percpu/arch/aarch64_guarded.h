/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_AARCH64_GUARDED_H
#define PERCPU_ARCH_AARCH64_GUARDED_H
/*
 * aarch64_guarded.h: the sequence of guarded.h:
 *
 *   start:   if (word & mask) goto out
 *            h = handle, this thread's slot of it
 *            *p += v                            <- commits
 *
 * Whoever sees a word that lets it in must see the handle that was stored
 * before that word. This processor keeps the order of two loads if the address
 * of the second is computed from the first, and a branch between them is not
 * enough; so what the mask leaves of the word, 0, is added to the address. The
 * address of the slot is computed from the handle, so what was stored to slots
 * before that word is seen, too. An acquiring load would wait for nothing less
 * and would hold up every later access.
 */
#include <percpu/arch/aarch64_section.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE bool percpu__try_guarded_add(const struct percpu__guarded *g,
					    uint64_t mask, uint64_t v)
{
	__asm__ goto(
		PERCPU__ARM
		"ldr x16, [%[g]]\n\t"
		"ands x16, x16, %[mask]\n\t"
		"b.ne 777f\n\t"
		"add x13, %[g], x16\n\t"
		"ldr x13, [x13, %[handle]]\n\t" PERCPU__SLOT_OF(
			"x13") "ldr x16, [x15]\n\t"
			       "add x16, x16, %[v]\n\t"
			       "str x16, [x15]" PERCPU__DISARM PERCPU__ABORT
		:
		: PERCPU__WHERE(g), [g] "r"(g), [mask] "rL"(mask),
		  [handle] "i"(offsetof(struct percpu__guarded, handle)),
		  [v] "rI"(v)
		: "x13", "x14", "x15", "x16", "x17", "cc", "memory"
		: slow);
	return true;
slow:
	return false;
}

PERCPU__DECLS_END
#endif

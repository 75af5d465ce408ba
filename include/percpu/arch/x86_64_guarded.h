/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_X86_64_GUARDED_H
#define PERCPU_ARCH_X86_64_GUARDED_H
/*
 * x86_64_guarded.h: the sequence of guarded.h:
 *
 *   start:   if (word & mask) goto out
 *            h = handle, this thread's slot of it
 *            *p += v                            <- commits
 *
 * This processor loads in order, so whoever sees a word that lets it in sees
 * the handle that was stored before that word, and what was stored to its
 * slots before.
 */
#include <percpu/arch/x86_64_section.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE bool percpu__try_guarded_add(const struct percpu__guarded *g,
					    uint64_t mask, uint64_t v)
{
	__asm__ goto(
		PERCPU__ARM "testq %[mask], %[word]\n\t"
			    "jnz 774f\n\t" PERCPU__SLOT
			    "addq %[v], (%%rax)" PERCPU__DISARM PERCPU__ABORT
		:
		: [off] "r"(__rseq_offset), [h] "m"(g->handle),
		  [limit] "m"(percpu__rt.limit), [index] "m"(percpu__rt.index),
		  [stride] "m"(percpu__rt.stride), [word] "m"(g->word),
		  [mask] "er"(mask), [v] "er"(v)
		: "rax", "rcx", "cc", "memory"
		: slow);
	return true;
slow:
	return false;
}

PERCPU__DECLS_END
#endif

/* SPDX-License-Identifier: MIT */
/*
 * annot_tsan.c: ThreadSanitizer, if the program runs under it, is told of the
 * order that objects make, and frees and allocations, for which the allocator
 * does without caches: it does not see the library's atomics. Programs built
 * for it run no inlined sequences, so all that orders comes through here.
 * Its functions are weak references, null in every other program. A library
 * that is built for it shows its atomics itself, and must not hide that one is
 * wrong.
 */
#include "annot.h"

#include <percpu/arch.h>

#include <stdint.h>

#define WEAK __attribute__((weak))

WEAK void __tsan_acquire(void *p);
WEAK void __tsan_release(void *p);

#if defined(PERCPU__TSAN)
#define TELL 0
#else
#define TELL 1
#endif

bool percpu__annot_tsan_on(void)
{
	return TELL && __tsan_acquire != NULL;
}

void percpu__annot_tsan_acquire(const void *p)
{
	if (TELL && __tsan_acquire != NULL)
		__tsan_acquire((void *)(uintptr_t)p);
}

void percpu__annot_tsan_release(const void *p)
{
	if (TELL && __tsan_release != NULL)
		__tsan_release((void *)(uintptr_t)p);
}

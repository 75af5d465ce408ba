/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_H
#define PERCPU_ARCH_H
/*
 * arch.h: chooses how operations compile here; the only #if on the
 * architecture. Each choice supplies, for W = 1, 2, 4, 8 bytes,
 *
 *   bool  percpu__try_OP_W(void PERCPU *h, uintN_t v)
 *                           OP is add, and, or, xor, write
 *   bool  percpu__try_OP_W(void PERCPU *h, uintN_t v, uintN_t *out)
 *                           OP is xchg, add_return
 *   bool  percpu__try_cmpxchg_W(void PERCPU *h, uintN_t expected,
 *                               uintN_t desired, uintN_t *old)
 *   bool  percpu__try_push(void PERCPU *h, uint64_t capacity, uint64_t v,
 *                          uint64_t *n)
 *   bool  percpu__try_pop(void PERCPU *h, uint64_t *v, uint64_t *n)
 *   bool  percpu__try_counter_add(void PERCPU *h, uint64_t v, uint64_t reach)
 *   bool  percpu__try_gated_push(void PERCPU *h, const uint64_t *capacity,
 *                                uint64_t v, uint64_t *n, uint64_t *top)
 *   bool  percpu__try_gated_pop(void PERCPU *h, const uint64_t *floor,
 *                               uint64_t *v, uint64_t *n, uint64_t *bottom)
 *   bool  percpu__try_guarded_add(const struct percpu__guarded *g,
 *                                 uint64_t mask, uint64_t v)
 *   void *percpu__try_this(void PERCPU *h)
 *
 * which do the whole operation, or nothing and return false or NULL; then the
 * library's function does it; for multi.h, for N = 2, 4, 8,
 *
 *   unsigned percpu__try_block_N(void PERCPU *h, uint64_t v0, ...)
 *
 * which returns how many fields are done; and macros PERCPU__ADD_2, _3, _4,
 * which do percpu__add(percpu__h0, percpu__v0, percpu__w0) and so on, for the
 * widths, constants, that multi_c.h and multi_cxx.h name so. All choices mix in
 * one process: which of them a source file got changes speed, never a sum.
 *
 *   void percpu__acquire(void), percpu__release(void)
 *
 * are fences, for accesses that are no atomics.
 */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERCPU__TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define PERCPU__TSAN 1
#endif

/* For __GLIBC_PREREQ: glibc owns every thread's rseq area since 2.35. */
#include <stddef.h>
#include <stdint.h>
#if defined(__has_include)
#if __has_include(<features.h>)
#include <features.h>
#endif
#endif
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define PERCPU__LIBC_AREA 1
#endif
#endif

#if defined(PERCPU__ARCH_FILE) /* the model of tests/coherence/ */
#include PERCPU__ARCH_FILE
#elif defined(PERCPU__TSAN)
#include <percpu/arch/shared.h>
#include <percpu/arch/shared_multi.h>
#elif defined(__x86_64__) && defined(__LP64__) && defined(PERCPU__LIBC_AREA)
#include <percpu/arch/x86_64.h>
#include <percpu/arch/x86_64_block.h>
#elif defined(__AARCH64EL__) && defined(__LP64__) && defined(PERCPU__LIBC_AREA)
#include <percpu/arch/aarch64.h>
#include <percpu/arch/aarch64_multi.h>
#else
#include <percpu/arch/generic.h>
#include <percpu/arch/generic_multi.h>
#endif

/* In a loop that looks again and again at what another CPU will write. */
static inline void percpu__relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("isb");
#endif
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif

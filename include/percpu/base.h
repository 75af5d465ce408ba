/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_BASE_H
#define PERCPU_BASE_H
/*
 * base.h: what every other header needs: the tag of per-CPU pointers, the
 * cache line, and the agreement of a program's headers with the library.
 *
 * Compiled into the caller: everything here is ABI.
 */
#if (defined(__cplusplus) && __cplusplus < 201103L) ||                         \
	(!defined(__cplusplus) && __STDC_VERSION__ < 201112L)
#error "libpercpu needs C11 or C++11"
#endif

#include <stddef.h>
#include <stdint.h>

/* Around what C++ compilers warn of on request, as it is C, too. */
#ifdef __cplusplus
#define PERCPU__QUIET_BEGIN                                                    \
	_Pragma("GCC diagnostic push")                                         \
		_Pragma("GCC diagnostic ignored \"-Wold-style-cast\"")         \
			_Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define PERCPU__QUIET_END _Pragma("GCC diagnostic pop")
/* In macros, from void *. */
#define PERCPU__CAST(to, p) static_cast<to>(p)
#else
#define PERCPU__CAST(to, p) ((to)(p))
#define PERCPU__QUIET_BEGIN
#define PERCPU__QUIET_END
#endif

/* Around declarations: C linkage, visible from a hidden-by-default build. */
#ifdef __cplusplus
#define PERCPU__DECLS_BEGIN                                                    \
	PERCPU__QUIET_BEGIN                                                    \
	extern "C" {                                                           \
	_Pragma("GCC visibility push(default)")
#define PERCPU__DECLS_END                                                      \
	_Pragma("GCC visibility pop")                                          \
	}                                                                      \
	PERCPU__QUIET_END
#else
#define PERCPU__DECLS_BEGIN _Pragma("GCC visibility push(default)")
#define PERCPU__DECLS_END _Pragma("GCC visibility pop")
#endif

/* Operations are compiled into their callers, at -O0 too. */
#define PERCPU__INLINE static inline __attribute__((always_inline))

/*
 * PERCPU tags a handle: uint64_t PERCPU *h names one uint64_t per CPU and must
 * not be dereferenced. With PERCPU_CHECK defined, clang (not gcc) enforces
 * that: the tag becomes an address space of its own, which no plain pointer
 * takes, and a dereference, which the address space alone allows, becomes an
 * error: for all that follows, so not between the diagnostics' push and pop.
 * C++ then wants T PERCPU *h, not auto *h.
 */
#if defined(PERCPU_CHECK) && defined(__clang__)
#define PERCPU __attribute__((address_space(7), noderef))
#pragma clang diagnostic error "-Wnoderef"
#else
#define PERCPU
#endif

PERCPU__DECLS_BEGIN

/*
 * PERCPU_LINE is the distance, in bytes, that keeps two objects off one cache
 * line on every processor of the architecture. It is ABI: a program built with
 * another value than the library's does not start (percpu__abi_check).
 */
#ifndef PERCPU_LINE
#if defined(__aarch64__)
#define PERCPU_LINE 128
#else
#define PERCPU_LINE 64
#endif
#endif

#define PERCPU_LINE_ALIGNED __attribute__((aligned(PERCPU_LINE)))
/* A struct member that keeps what follows it off the line of what is before. */
#define PERCPU_LINE_PAD(name) char name[PERCPU_LINE]

/* The next multiple of PERCPU_LINE at or above @n bytes; 0 if there is none. */
static inline size_t percpu_line_roundup(size_t n)
{
	return (n + (size_t)(PERCPU_LINE - 1)) & ~(size_t)(PERCPU_LINE - 1);
}

/*
 * What inlined operations read, written once when the slot policy is latched
 * and never again. It has its lines to itself.
 *
 * limit     ids below it run the inlined restartable sequence. It is 0 until
 *           the latch, and stays 0 where no thread may run that sequence: one
 *           unsigned compare answers for policy, registration (a thread that
 *           has none reads id -1 or -2) and table size at once.
 * nr_slots  units of every chunk; the shared slot is number nr_slots.
 * stride    bytes from one unit to the next.
 * index     bytes from the thread pointer to the number of this thread's slot:
 *           to cpu_id or to mm_cid in its rseq area. Only read below limit.
 * policy    the library's own: the latched policy, 0 before.
 * limit_32  as limit, for sections that store 32 bytes at once, and limit_64,
 *           limit_16; 0 where the processor has no such instruction.
 * vector    the most bytes that an instruction stores here: 64, 32, 16, or 8.
 */
struct percpu__rt {
	uint32_t limit;
	uint32_t nr_slots;
	uint64_t stride;
	int64_t index;
	uint32_t policy;
	uint32_t limit_32;
	uint32_t limit_64;
	uint32_t vector;
	uint32_t limit_16;
	char reserved[84];
} __attribute__((aligned(128)));

extern struct percpu__rt percpu__rt;

/*
 * What objects with a mode begin with: a word that says, among other things,
 * whether sections may add to the slots of @handle now. Its guarded add is one
 * section that loads both: where (word & mask) is 0 it adds @v to this thread's
 * slot, else it stores nothing. Whoever sets a bit of the mask, and then calls
 * percpu_fence(), knows that no such add happens until the bit is cleared.
 */
struct percpu__guarded {
	uint64_t word;
	void PERCPU *handle;
};

/* A lock of the library's own, for objects that have one within. */
struct percpu__mutex {
	uint32_t word;	 /* a futex */
	uint32_t family; /* of the process that took it last */
};

/* Bumped by any change to what the headers compile into a program. */
#define PERCPU__ABI 1u

void percpu__abi_check(unsigned abi, unsigned line, size_t rt_size);

/*
 * Runs before main (or within dlopen) in each object that uses these headers;
 * on a mismatch it prints what differs and aborts.
 */
static void __attribute__((constructor, used)) percpu__abi_agree(void)
{
	percpu__abi_check(PERCPU__ABI, PERCPU_LINE, sizeof(struct percpu__rt));
}

PERCPU__DECLS_END
#endif

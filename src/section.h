/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_H
#define PERCPU_SRC_SECTION_H
/*
 * section.h: restartable sequences as the library itself runs them, on an area
 * and an index that are known only at run time; and, like percpu/arch.h for
 * the public headers, the only #if on the architecture here.
 *
 * For W = 1, 2, 4, 8:
 *
 *   enum percpu__ran percpu__section_OP_W(struct percpu__section s, v)
 *                    OP is add, and, or, xor, write
 *   enum percpu__ran percpu__section_OP_W(s, v, out)
 *                    OP is xchg, add_return; the result goes to *out
 *   enum percpu__ran percpu__section_cmpxchg_W(s, expected, desired, out)
 *
 * on the stacks of percpu/stack.h
 *
 *   enum percpu__ran percpu__section_stack_push(s, capacity, item)
 *   enum percpu__ran percpu__section_stack_pop(s, out)
 *
 * on those that can be shut, of percpu/cache.h
 *
 *   enum percpu__ran percpu__section_gated_push(s, &capacity, item)
 *   enum percpu__ran percpu__section_gated_pop(s, &floor, out)
 *
 * on the slots of counter.h
 *
 *   enum percpu__ran percpu__section_counter_add(s, v, reach)
 *   enum percpu__ran percpu__section_counter_claim(s, out)
 *
 * the guarded add of percpu/base.h, which looks at no s.h
 *
 *   enum percpu__ran percpu__section_guarded_add(s, g, mask, v)
 *
 * For N = 2, 4, 8, adds to so many adjacent fields of 64 bits, where one store
 * has so many bytes (percpu__section_bytes):
 *
 *   enum percpu__ran percpu__section_block_N(struct percpu__section s, v)
 *
 * and on the caches of cache.h, of which section_pop takes the last item of the
 * bin that lies @at bytes from the start of this slot's cache to *out, and
 * section_push puts one there if it has fewer than @limit:
 *
 *   enum percpu__ran percpu__section_pop(s, caches, at, out)
 *   enum percpu__ran percpu__section_push(s, caches, at, limit, item)
 *
 * Each leaves rseq_cs at 0.
 */
#include "area.h"

#include <percpu/base.h>

enum percpu__ran {
	PERCPU__COMMITTED, /* done, once */
	PERCPU__ABORTED,   /* nothing stored: preempted, moved or signalled */
	PERCPU__REFUSED, /* nothing stored: no registration, or no such unit */
	/* Nothing stored: empty, full, shut, guarded, not what is expected. */
	PERCPU__MISSED
};

/* What a sequence works on. */
struct percpu__section {
	struct percpu__area *area;
	const uint32_t *index; /* in *area: cpu_id or mm_cid */
	void *h;	       /* the handle or field */
};

/* A slot of a counter that is claimed, and its told before. */
struct percpu__counter_claim {
	struct percpu__counter_slot *slot;
	uint64_t told;
};

/* The cache of slot i lies at base + i * stride; NULL: nobody may use any. */
struct percpu__caches {
	char *base;
	uint64_t stride;
};

/* What a sequence's function returns on each way out. */
#define PERCPU__ENDS(s)                                                        \
	return PERCPU__COMMITTED;                                              \
	aborted: /* the kernel has cleared rseq_cs */                          \
	return PERCPU__ABORTED;                                                \
	refused:                                                               \
	__atomic_store_n(&(s).area->rseq_cs, 0, __ATOMIC_RELAXED);             \
	return PERCPU__REFUSED

/* The same for sequences that may end without a commit. */
#define PERCPU__MISSED_ENDS(s)                                                 \
	PERCPU__ENDS(s);                                                       \
	missed:                                                                \
	__atomic_store_n(&(s).area->rseq_cs, 0, __ATOMIC_RELAXED);             \
	return PERCPU__MISSED

#if defined(PERCPU__SECTION_FILE) /* the model of tests/coherence/ */
#include PERCPU__SECTION_FILE
#elif defined(__x86_64__) && defined(__LP64__)
#include "section_x86_64.h"
#include "section_x86_64_gated.h"
#include "section_x86_64_multi.h"
#elif defined(__AARCH64EL__) && defined(__LP64__)
#include "section_aarch64.h"
#include "section_aarch64_gated.h"
#include "section_aarch64_multi.h"
#else
#include "section_none.h"
#include "section_none_multi.h"
#endif

/* @p will be written soon: bring its line, and take it from others, now. */
static inline void percpu__section_own(const void *p)
{
#if defined(__x86_64__)
	__asm__ __volatile__("prefetchw %0" : : "m"(*(const char *)p));
#else
	__builtin_prefetch(p, 1);
#endif
}

#endif

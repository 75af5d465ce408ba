/* SPDX-License-Identifier: MIT */
#ifndef BENCH_H4_H
#define BENCH_H4_H
/*
 * h4.h: the kernel's percpu_counter of 2009 in two layouts, and this library's.
 */
#include "compare.h"

#include <percpu/percpu.h>

#define H4_CPUS HARNESS_MAX_THREADS

#define H4_INLINE static inline __attribute__((always_inline))

/* What many write. */
struct h4_count {
	int32_t lock;
	int64_t count;
	void *list[2];
};

/* Before: the pointer that each add reads lies beside them, in one line. */
struct h4_before {
	struct h4_count c;
	int32_t PERCPU *counters;
} HARNESS_APART;

/* The cure of 2009: on a line of its own. */
struct h4_apart {
	struct h4_count c HARNESS_APART;
	int32_t PERCPU *counters HARNESS_APART;
} HARNESS_APART;

static inline void h4_fold(struct h4_count *c, int32_t n)
{
	while (__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE) != 0)
		while (__atomic_load_n(&c->lock, __ATOMIC_RELAXED) != 0)
			;
	__atomic_store_n(&c->count, c->count + n, __ATOMIC_RELAXED);
	__atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE);
}

/*
 * One add of 1. The CPU's count is this library's too, so that what differs is
 * where the pointer to it lies.
 */
H4_INLINE void h4_add(int32_t PERCPU **counters, struct h4_count *c,
		      int32_t batch)
{
	int32_t PERCPU *h = __atomic_load_n(counters, __ATOMIC_RELAXED);
	int32_t n = percpu_add_return(h, 1);

	if (__builtin_expect(n >= batch, 0)) {
		percpu_sub(h, n);
		h4_fold(c, n);
	}
}

/* Real context switches: h4_switch.c. */
void h4_switch(const struct bench *b);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_RESERVE_H
#define PERCPU_SRC_RESERVE_H
/*
 * reserve.h: a few per-CPU objects kept ready for those who may not allocate:
 * a signal handler, or an operation that promises not to wait.
 */
#include <percpu/base.h>

#include <stdbool.h>

#define PERCPU__RESERVE 48u

/*
 * Objects of @size bytes at multiples of @align, the same for all. The rest
 * starts at zero, and only atomics touch it; the last two are ask's, give's and
 * supply's.
 */
struct percpu__reserve {
	size_t size;
	size_t align;
	void PERCPU *handle[PERCPU__RESERVE];
	bool stocked; /* there may be some */
	bool missed;  /* one was asked for that was not there */
};

/*
 * One of them, in ordinary memory as percpu_alloc() gives it or as it was put;
 * NULL if none is left. Safe in signal handlers; never waits.
 */
void PERCPU *percpu__reserve_take(struct percpu__reserve *r);

/*
 * Keep @h, which is like those of @r; false, and @h stays the caller's, if
 * there is no room. Safe in signal handlers; never waits.
 */
bool percpu__reserve_put(struct percpu__reserve *r, void PERCPU *h);

/*
 * Allocate what is missing, as far as there is memory; errno stays. Not for
 * signal handlers, nor under a lock of the allocator's.
 */
void percpu__reserve_fill(struct percpu__reserve *r);

/*
 * take, put and fill for a reserve that is empty until one was asked for in
 * vain: ask looks nowhere while there is none, and supply fills after that.
 */
void PERCPU *percpu__reserve_ask(struct percpu__reserve *r);
bool percpu__reserve_give(struct percpu__reserve *r, void PERCPU *h);
void percpu__reserve_supply(struct percpu__reserve *r);

/* Free all that is there. Context as above. */
void percpu__reserve_empty(struct percpu__reserve *r);

#endif

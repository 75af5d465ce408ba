/* SPDX-License-Identifier: MIT */
#ifndef BENCH_DUET_H
#define BENCH_DUET_H
/*
 * duet.h: measure one thread that asks another for something.
 */
#include "compare.h"
#include "partner.h"

/* What a variant of a duet has for its arg. */
struct duet {
	struct partner *partner;
	bool asleep;   /* the partner sleeps before each operation */
	bool switches; /* who waits sleeps: switching is no disturbance */
};

/*
 * Make @c, whose variants are duets: their run() is called as thread 0. Only
 * operations are timed, not the wait for a partner that is to sleep.
 */
void duet_compare(const struct bench *b, const struct comparison *c);

#endif

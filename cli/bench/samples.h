/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H
/*
 * samples.h: what all ways of measuring do with what they have measured.
 */
#include "harness.h"

#define SAMPLES_SEED 0x9e3779b97f4a7c15u

/* Room for the rounds of @p. Returns 0 or -errno. */
int samples_make(struct samples *s, const struct plan *p);

/* The value of @variant in the round that was begun last; NAN: not quiet. */
void samples_keep(struct samples *s, unsigned variant, double ns);

/* Quiet slices of that variant of @n which has fewest. */
size_t samples_fewest(const struct samples *s, unsigned n);

/* The numbers below @n in any order. */
void samples_shuffle(uint64_t *random, unsigned *of, unsigned n);

#endif

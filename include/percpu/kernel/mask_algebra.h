/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_MASK_ALGEBRA_H
#define PERCPU_KERNEL_MASK_ALGEBRA_H
/*
 * mask_algebra.h: sets of CPUs made of others, and compared. Not atomic.
 */
#include <percpu/kernel/mask.h>

PERCPU__DECLS_BEGIN

static inline void cpumask_setall(struct cpumask *m)
{
	cpumask_copy(m, cpu_possible_mask);
}

/* Whether anything is in the result of and, andnot. */
static inline bool cpumask_and(struct cpumask *to, const struct cpumask *a,
			       const struct cpumask *b)
{
	unsigned long any = 0;

	for (unsigned i = 0; i < PERCPU__KERNEL_WORDS; i++)
		any |= to->bits[i] = a->bits[i] & b->bits[i];
	return any != 0;
}

static inline bool cpumask_andnot(struct cpumask *to, const struct cpumask *a,
				  const struct cpumask *b)
{
	unsigned long any = 0;

	for (unsigned i = 0; i < PERCPU__KERNEL_WORDS; i++)
		any |= to->bits[i] = a->bits[i] & ~b->bits[i];
	return any != 0;
}

static inline void cpumask_or(struct cpumask *to, const struct cpumask *a,
			      const struct cpumask *b)
{
	for (unsigned i = 0; i < PERCPU__KERNEL_WORDS; i++)
		to->bits[i] = a->bits[i] | b->bits[i];
}

static inline bool cpumask_equal(const struct cpumask *a,
				 const struct cpumask *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static inline bool cpumask_intersects(const struct cpumask *a,
				      const struct cpumask *b)
{
	unsigned long any = 0;

	for (unsigned i = 0; i < PERCPU__KERNEL_WORDS; i++)
		any |= a->bits[i] & b->bits[i];
	return any != 0;
}

static inline bool cpumask_subset(const struct cpumask *a,
				  const struct cpumask *b)
{
	unsigned long any = 0;

	for (unsigned i = 0; i < PERCPU__KERNEL_WORDS; i++)
		any |= a->bits[i] & ~b->bits[i];
	return any == 0;
}

static inline unsigned cpumask_weight(const struct cpumask *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < PERCPU__KERNEL_WORDS; i++)
		n += (unsigned)__builtin_popcountl(m->bits[i]);
	return n;
}

static inline bool cpumask_empty(const struct cpumask *m)
{
	return cpumask_weight(m) == 0;
}

static inline void cpumask_xor(struct cpumask *to, const struct cpumask *a,
			       const struct cpumask *b)
{
	for (unsigned i = 0; i < PERCPU__KERNEL_WORDS; i++)
		to->bits[i] = a->bits[i] ^ b->bits[i];
}

/* The possible CPUs that are not in @a. */
static inline void cpumask_complement(struct cpumask *to,
				      const struct cpumask *a)
{
	(void)cpumask_andnot(to, cpu_possible_mask, a);
}

static inline bool cpumask_full(const struct cpumask *m)
{
	return cpumask_subset(cpu_possible_mask, m);
}

static inline unsigned cpumask_weight_and(const struct cpumask *a,
					  const struct cpumask *b)
{
	struct cpumask both;

	(void)cpumask_and(&both, a, b);
	return cpumask_weight(&both);
}

static inline unsigned cpumask_weight_andnot(const struct cpumask *a,
					     const struct cpumask *b)
{
	struct cpumask rest;

	(void)cpumask_andnot(&rest, a, b);
	return cpumask_weight(&rest);
}

PERCPU__DECLS_END
#endif

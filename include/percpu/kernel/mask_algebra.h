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

/* The next after @cpu, which may be -1, that is in both; else nr_cpu_ids. */
static inline unsigned cpumask_next_and(int cpu, const struct cpumask *a,
					const struct cpumask *b)
{
	unsigned next = cpumask_next(cpu, a);

	while (cpu_possible(next) && !cpumask_test_cpu(next, b))
		next = cpumask_next((int)next, a);
	return next;
}

static inline unsigned cpumask_next_andnot(int cpu, const struct cpumask *a,
					   const struct cpumask *b)
{
	unsigned next = cpumask_next(cpu, a);

	while (cpu_possible(next) && cpumask_test_cpu(next, b))
		next = cpumask_next((int)next, a);
	return next;
}

static inline unsigned cpumask_first_and(const struct cpumask *a,
					 const struct cpumask *b)
{
	return cpumask_next_and(-1, a, b);
}

static inline unsigned cpumask_any_and(const struct cpumask *a,
				       const struct cpumask *b)
{
	return cpumask_next_and(-1, a, b);
}

PERCPU__DECLS_END

/* The sets are evaluated again for each CPU. */
#define PERCPU__KERNEL_EACH_BY(cpu, next, a, b)                                \
	for ((cpu) = (__typeof__(cpu))next(-1, a, b);                          \
	     cpu_possible((unsigned)(cpu));                                    \
	     (cpu) = (__typeof__(cpu))next((int)(cpu), a, b))
#define for_each_cpu_and(cpu, a, b)                                            \
	PERCPU__KERNEL_EACH_BY(cpu, cpumask_next_and, a, b)
#define for_each_cpu_andnot(cpu, a, b)                                         \
	PERCPU__KERNEL_EACH_BY(cpu, cpumask_next_andnot, a, b)

#endif

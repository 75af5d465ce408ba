/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_MASK_WALK_H
#define PERCPU_KERNEL_MASK_WALK_H
/*
 * mask_walk.h: the members of sets of CPUs, one after the other. Where there is
 * none, or no further one, functions say nr_cpu_ids, or a number above.
 */
#include <percpu/kernel/mask.h>

PERCPU__DECLS_BEGIN

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

/* Of what is in all three. */
static inline unsigned cpumask_first_and_and(const struct cpumask *a,
					     const struct cpumask *b,
					     const struct cpumask *c)
{
	unsigned cpu = cpumask_first_and(a, b);

	while (cpu_possible(cpu) && !cpumask_test_cpu(cpu, c))
		cpu = cpumask_next_and((int)cpu, a, b);
	return cpu;
}

static inline unsigned cpumask_any_and(const struct cpumask *a,
				       const struct cpumask *b)
{
	return cpumask_next_and(-1, a, b);
}

static inline unsigned cpumask_any_and_but(const struct cpumask *a,
					   const struct cpumask *b,
					   unsigned cpu)
{
	unsigned any = cpumask_first_and(a, b);

	return any == cpu ? cpumask_next_and((int)cpu, a, b) : any;
}

static inline unsigned percpu__kernel_mask_next_or(int cpu,
						   const struct cpumask *a,
						   const struct cpumask *b)
{
	unsigned of_a = cpumask_next(cpu, a);
	unsigned of_b = cpumask_next(cpu, b);

	return of_a < of_b ? of_a : of_b;
}

/* The next after @cpu, which may be -1, that is possible and not in @m. */
static inline unsigned cpumask_next_zero(int cpu, const struct cpumask *m)
{
	unsigned next = (unsigned)(cpu + 1);

	while (cpu_possible(next) && cpumask_test_cpu(next, m))
		next++;
	return next;
}

static inline unsigned cpumask_first_zero(const struct cpumask *m)
{
	return cpumask_next_zero(-1, m);
}

/* The @n-th, from 0. */
static inline unsigned cpumask_nth(unsigned n, const struct cpumask *m)
{
	unsigned cpu = cpumask_first(m);

	while (n-- > 0 && cpu_possible(cpu))
		cpu = cpumask_next((int)cpu, m);
	return cpu;
}

static inline unsigned cpumask_nth_and(unsigned n, const struct cpumask *a,
				       const struct cpumask *b)
{
	unsigned cpu = cpumask_first_and(a, b);

	while (n-- > 0 && cpu_possible(cpu))
		cpu = cpumask_next_and((int)cpu, a, b);
	return cpu;
}

/* The next after @cpu, or after the last the first, which may be @cpu. */
static inline unsigned cpumask_next_wrap(int cpu, const struct cpumask *m)
{
	unsigned next = cpumask_next(cpu, m);

	return cpu_possible(next) ? next : cpumask_first(m);
}

static inline unsigned cpumask_next_and_wrap(int cpu, const struct cpumask *a,
					     const struct cpumask *b)
{
	unsigned next = cpumask_next_and(cpu, a, b);

	return cpu_possible(next) ? next : cpumask_first_and(a, b);
}

/* A loop that begins in the middle. */
struct percpu__kernel_wrap {
	const struct cpumask *mask;
	unsigned start;
};

/* @cpu is of those before the start: if it is there the loop ends. */
static inline unsigned
percpu__kernel_wrap_low(const struct percpu__kernel_wrap *w, unsigned cpu)
{
	return cpu < w->start ? cpu : nr_cpu_ids;
}

static inline unsigned
percpu__kernel_wrap_first(const struct percpu__kernel_wrap *w)
{
	unsigned cpu = percpu__kernel_mask_find(w->start, w->mask);

	return cpu_possible(cpu) ? cpu : cpumask_first(w->mask);
}

static inline unsigned
percpu__kernel_wrap_next(const struct percpu__kernel_wrap *w, unsigned cpu)
{
	unsigned next = cpumask_next((int)cpu, w->mask);

	if (cpu < w->start)
		return percpu__kernel_wrap_low(w, next);
	return cpu_possible(next) ?
		       next :
		       percpu__kernel_wrap_low(w, cpumask_first(w->mask));
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
#define for_each_cpu_or(cpu, a, b)                                             \
	PERCPU__KERNEL_EACH_BY(cpu, percpu__kernel_mask_next_or, a, b)

/* From the number that @cpu has. */
#define for_each_cpu_from(cpu, mask)                                           \
	for ((cpu) = (__typeof__(cpu))percpu__kernel_mask_find(                \
		     (unsigned)(cpu), mask);                                   \
	     cpu_possible((unsigned)(cpu));                                    \
	     (cpu) = (__typeof__(cpu))cpumask_next((int)(cpu), mask))

/*
 * All of @set, those from @start on first. Both are evaluated once; "break"
 * leaves both loops.
 */
#define PERCPU__KERNEL_EACH_WRAP(cpu, set, start, w)                           \
	for (struct percpu__kernel_wrap w = { (set), (unsigned)(start) };      \
	     w.mask != NULL; w.mask = NULL)                                    \
		for ((cpu) = (__typeof__(cpu))percpu__kernel_wrap_first(&w);   \
		     cpu_possible((unsigned)(cpu));                            \
		     (cpu) = (__typeof__(cpu))percpu__kernel_wrap_next(        \
			     &w, (unsigned)(cpu)))
#define for_each_cpu_wrap(cpu, set, start)                                     \
	PERCPU__KERNEL_EACH_WRAP(cpu, set, start,                              \
				 PERCPU__PASTE(percpu__wrap_, __LINE__))

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_MASK_H
#define PERCPU_KERNEL_MASK_H
/*
 * mask.h: sets of CPUs.
 *
 * A set has room for NR_CPUS numbers, the most that Linux is built for and the
 * shared slot. One beyond is in no set: it is not added, and not found.
 * cpumask_set_cpu() and kin are atomic, but those that begin with __; nothing
 * else is, and nothing orders.
 */
#include <percpu/cpu.h>
#include <percpu/kernel/types.h>
#include <percpu/ops.h>
#include <string.h>

PERCPU__DECLS_BEGIN

#define NR_CPUS 8256
#define PERCPU__KERNEL_WORD ((unsigned)(8 * sizeof(unsigned long)))
#define PERCPU__KERNEL_WORDS (NR_CPUS / (8 * sizeof(unsigned long)))

/* Highest number + 1: of the slots, and the shared slot. */
#define nr_cpu_ids (percpu_nr_slots() + 1u)
#define nr_cpumask_bits ((unsigned)NR_CPUS)

static inline bool cpu_possible(unsigned cpu)
{
	return cpu < nr_cpu_ids;
}

/* The words of a cpu_set_t. */
typedef struct cpumask {
	unsigned long bits[PERCPU__KERNEL_WORDS];
} cpumask_t;

/* On the stack, as a kernel for few CPUs has it: nothing is allocated. */
typedef struct cpumask cpumask_var_t[1];

/* Initialisers, of sets as values too. */
#ifdef __cplusplus
#define PERCPU__KERNEL_MASK cpumask_t
#else
#define PERCPU__KERNEL_MASK (cpumask_t)
#endif
#define PERCPU__KERNEL_8(w) w, w, w, w, w, w, w, w
#define PERCPU__KERNEL_64(w) PERCPU__KERNEL_8(PERCPU__KERNEL_8(w))
#if __SIZEOF_LONG__ == 8
#define CPU_BITS_ALL                                                           \
	{                                                                      \
		PERCPU__KERNEL_64(~0ul), PERCPU__KERNEL_64(~0ul), ~0ul         \
	}
#else
#define CPU_BITS_ALL                                                           \
	{                                                                      \
		PERCPU__KERNEL_64(~0ul), PERCPU__KERNEL_64(~0ul),              \
			PERCPU__KERNEL_64(~0ul), PERCPU__KERNEL_64(~0ul),      \
			~0ul, ~0ul                                             \
	}
#endif
#define CPU_BITS_NONE                                                          \
	{                                                                      \
		0                                                              \
	}
#define CPU_BITS_CPU0                                                          \
	{                                                                      \
		1                                                              \
	}
#define CPU_MASK_ALL (PERCPU__KERNEL_MASK{ CPU_BITS_ALL })
#define CPU_MASK_NONE (PERCPU__KERNEL_MASK{ CPU_BITS_NONE })
#define CPU_MASK_CPU0 (PERCPU__KERNEL_MASK{ CPU_BITS_CPU0 })

/*
 * The set of @cpu alone, which is there for good; an empty one for a number
 * that is in no set.
 */
const struct cpumask *percpu__kernel_mask_of(unsigned cpu);

/*
 * All CPUs that are on line, where this process may not run, too. One object:
 * the next call changes it, word by word, if CPUs have come or gone. Reads a
 * file.
 */
const struct cpumask *percpu__kernel_mask_online(void);

/* The numbers below nr_cpu_ids. */
const struct cpumask *percpu__kernel_mask_possible(void);

/* All numbers below NR_CPUS. */
const struct cpumask *percpu__kernel_mask_all(void);

/*
 * The CPUs on line of @node; all numbers for -1, and without memory; an empty
 * set for a node that has none, or a number from 1024 on. As of those on line
 * the next call for that node changes it. Reads a file.
 */
const struct cpumask *percpu__kernel_mask_of_node(int node);

#define cpumask_of(cpu) percpu__kernel_mask_of((unsigned)(cpu))
#define get_cpu_mask(cpu) cpumask_of(cpu)
#define cpumask_of_node(node) percpu__kernel_mask_of_node(node)
#define cpu_all_mask percpu__kernel_mask_all()
#define cpu_none_mask percpu__kernel_mask_of((unsigned)NR_CPUS)
#define cpu_online_mask percpu__kernel_mask_online()
#define cpu_active_mask percpu__kernel_mask_online()
#define cpu_possible_mask percpu__kernel_mask_possible()
#define cpu_present_mask percpu__kernel_mask_possible()
#define cpumask_bits(mask) ((mask)->bits)

static inline bool cpumask_test_cpu(unsigned cpu, const struct cpumask *m)
{
	return cpu < NR_CPUS &&
	       (__atomic_load_n(&m->bits[cpu / PERCPU__KERNEL_WORD],
				__ATOMIC_RELAXED) >>
			cpu % PERCPU__KERNEL_WORD &
		1) != 0;
}

static inline bool cpumask_test_and_set_cpu(unsigned cpu, struct cpumask *m)
{
	unsigned long bit = 1ul << cpu % PERCPU__KERNEL_WORD;

	return cpu < NR_CPUS &&
	       (__atomic_fetch_or(&m->bits[cpu / PERCPU__KERNEL_WORD], bit,
				  __ATOMIC_SEQ_CST) &
		bit) != 0;
}

static inline bool cpumask_test_and_clear_cpu(unsigned cpu, struct cpumask *m)
{
	unsigned long bit = 1ul << cpu % PERCPU__KERNEL_WORD;

	return cpu < NR_CPUS &&
	       (__atomic_fetch_and(&m->bits[cpu / PERCPU__KERNEL_WORD], ~bit,
				   __ATOMIC_SEQ_CST) &
		bit) != 0;
}

static inline void cpumask_set_cpu(unsigned cpu, struct cpumask *m)
{
	(void)cpumask_test_and_set_cpu(cpu, m);
}

static inline void cpumask_clear_cpu(unsigned cpu, struct cpumask *m)
{
	(void)cpumask_test_and_clear_cpu(cpu, m);
}

static inline void __cpumask_set_cpu(unsigned cpu, struct cpumask *m)
{
	if (cpu < NR_CPUS)
		m->bits[cpu / PERCPU__KERNEL_WORD] |=
			1ul << cpu % PERCPU__KERNEL_WORD;
}

static inline void __cpumask_clear_cpu(unsigned cpu, struct cpumask *m)
{
	if (cpu < NR_CPUS)
		m->bits[cpu / PERCPU__KERNEL_WORD] &=
			~(1ul << cpu % PERCPU__KERNEL_WORD);
}

static inline void cpumask_clear(struct cpumask *m)
{
	memset(m, 0, sizeof(*m));
}

static inline void cpumask_copy(struct cpumask *to, const struct cpumask *from)
{
	memcpy(to, from, sizeof(*to));
}

/* The first number from @from on that is in @m; nr_cpu_ids: none is. */
static inline unsigned percpu__kernel_mask_find(unsigned from,
						const struct cpumask *m)
{
	unsigned ids = nr_cpu_ids;
	unsigned end = ids < NR_CPUS ? ids : NR_CPUS;
	unsigned long word;

	for (unsigned i = from; i < end;
	     i = (i / PERCPU__KERNEL_WORD + 1) * PERCPU__KERNEL_WORD) {
		word = __atomic_load_n(&m->bits[i / PERCPU__KERNEL_WORD],
				       __ATOMIC_RELAXED) >>
		       i % PERCPU__KERNEL_WORD;
		if (word != 0) {
			i += (unsigned)__builtin_ctzl(word);
			return i < end ? i : ids;
		}
	}
	return ids;
}

static inline unsigned cpumask_first(const struct cpumask *m)
{
	return percpu__kernel_mask_find(0, m);
}

/* @cpu is -1, or a number. */
static inline unsigned cpumask_next(int cpu, const struct cpumask *m)
{
	return percpu__kernel_mask_find((unsigned)(cpu + 1), m);
}

/* The same as the first. */
static inline unsigned cpumask_any(const struct cpumask *m)
{
	return cpumask_first(m);
}

static inline unsigned cpumask_any_but(const struct cpumask *m, unsigned cpu)
{
	unsigned any = cpumask_first(m);

	return any == cpu ? cpumask_next((int)cpu, m) : any;
}

/* nr_cpu_ids: there is none. */
static inline unsigned cpumask_last(const struct cpumask *m)
{
	unsigned last = nr_cpu_ids;

	for (unsigned cpu = cpumask_first(m); cpu_possible(cpu);
	     cpu = cpumask_next((int)cpu, m))
		last = cpu;
	return last;
}

static inline size_t cpumask_size(void)
{
	return sizeof(struct cpumask);
}

/* Always true: there is nothing to allocate, and nothing to free. */
static inline bool alloc_cpumask_var(cpumask_var_t *m, gfp_t flags)
{
	(void)m;
	(void)flags;
	return true;
}

static inline bool zalloc_cpumask_var(cpumask_var_t *m, gfp_t flags)
{
	(void)flags;
	cpumask_clear(*m);
	return true;
}

static inline bool cpumask_available(const struct cpumask *m)
{
	return m != NULL;
}

static inline void free_cpumask_var(struct cpumask *m)
{
	(void)m;
}

PERCPU__DECLS_END

/* The set is evaluated once; "break" leaves both loops. */
#define PERCPU__KERNEL_EACH(cpu, mask, m)                                      \
	for (const struct cpumask *m = (mask); m != NULL; m = NULL)            \
		for ((cpu) = (__typeof__(cpu))cpumask_first(m);                \
		     cpu_possible((unsigned)(cpu));                            \
		     (cpu) = (__typeof__(cpu))cpumask_next((int)(cpu), m))

/* Those of @mask; other loops are in mask_walk.h. */
#define for_each_cpu(cpu, mask)                                                \
	PERCPU__KERNEL_EACH(cpu, mask, PERCPU__PASTE(percpu__mask_, __LINE__))

#include <percpu/kernel/mask_algebra.h>
#include <percpu/kernel/mask_walk.h>

#endif

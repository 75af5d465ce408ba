/* SPDX-License-Identifier: MIT */
/*
 * kernel_mask.c: sets of CPUs that are there for good.
 *
 * cpumask_of(cpu) needs a set of 1 KiB for each of thousands of numbers. All
 * that have their bit at one place of a word are views of one row, which has
 * that word after and before enough words of zero:
 *
 *   words      0 ... 0   1 << b   0 ... 0
 *                 ^------ a view: the word is its 1st, 2nd, ...
 *
 * One row's zeros before are the row before's zeros after. The words of pages
 * that nobody looks at take no memory; what is written there is always the
 * same.
 */
#include "exit.h"
#include "os.h"
#include "topology.h"

#include <percpu/kernel/mask.h>

#define ROW PERCPU__KERNEL_WORDS

const struct cpumask *percpu__kernel_mask_of(unsigned cpu)
{
	static unsigned long rows[(8 * sizeof(unsigned long) + 1) * ROW];
	unsigned bit = cpu % PERCPU__KERNEL_WORD;
	unsigned long *word = &rows[bit * ROW + PERCPU__KERNEL_WORDS];

	if (cpu >= NR_CPUS)
		return (const struct cpumask *)rows;
	if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0)
		__atomic_store_n(word, 1ul << bit, __ATOMIC_RELAXED);
	return (const struct cpumask *)(word - cpu / PERCPU__KERNEL_WORD);
}

/*
 * Readers may be at it: words that are the same are not written. @from has as
 * many words as there are.
 */
static void publish(struct cpumask *to, const unsigned long *from)
{
	for (unsigned i = 0; i < PERCPU__KERNEL_WORDS; i++)
		if (__atomic_load_n(&to->bits[i], __ATOMIC_RELAXED) != from[i])
			__atomic_store_n(&to->bits[i], from[i],
					 __ATOMIC_RELAXED);
}

_Static_assert(sizeof(struct percpu__cpus) >= sizeof(struct cpumask),
	       "all words are there");

/* Those of @now that have slots. */
static const struct cpumask *told(struct cpumask *to, struct percpu__cpus *now)
{
	for (unsigned cpu = percpu_nr_slots(); cpu < NR_CPUS; cpu++)
		now->bits[cpu / PERCPU__CPUS_WORD] &=
			~(1ul << cpu % PERCPU__CPUS_WORD);
	publish(to, now->bits);
	return to;
}

const struct cpumask *percpu__kernel_mask_online(void)
{
	static struct cpumask online;
	struct percpu__cpus now;

	percpu__topology_online_set(&now);
	return told(&online, &now);
}

/* The most that Linux is built for. */
#define NODES 1024

/* A set for each, from the first use of one on: 1 MiB, mostly never touched. */
static struct cpumask *nodes;

static size_t size_of_nodes(void)
{
	return percpu__os_pages(NODES * sizeof(*nodes));
}

/* NULL without memory. */
static struct cpumask *node_sets(void)
{
	struct cpumask *there = __atomic_load_n(&nodes, __ATOMIC_ACQUIRE);
	struct cpumask *made;

	if (there != NULL)
		return there;
	made = percpu__os_map(size_of_nodes());
	if (made == NULL ||
	    __atomic_compare_exchange_n(&nodes, &there, made, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	percpu__os_release(made, size_of_nodes());
	return there;
}

const struct cpumask *percpu__kernel_mask_of_node(int node)
{
	struct cpumask *sets = node >= 0 && node < NODES ? node_sets() : NULL;
	struct percpu__cpus now;

	if (node < -1 || node >= NODES)
		return percpu__kernel_mask_of(NR_CPUS);
	if (sets == NULL)
		return percpu__kernel_mask_all();
	percpu__topology_node_set((unsigned)node, &now);
	return told(&sets[node], &now);
}

static void __attribute__((destructor)) unload(void)
{
	if (percpu__exit_keeps() || nodes == NULL)
		return;
	percpu__os_release(nodes, size_of_nodes());
	nodes = NULL;
}

const struct cpumask *percpu__kernel_mask_all(void)
{
	static const struct cpumask all = { CPU_BITS_ALL };

	return &all;
}

const struct cpumask *percpu__kernel_mask_possible(void)
{
	static struct cpumask possible;
	struct cpumask now = { { 0 } };

	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
		__cpumask_set_cpu(cpu, &now);
	publish(&possible, now.bits);
	return &possible;
}

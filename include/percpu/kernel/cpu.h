/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_CPU_H
#define PERCPU_KERNEL_CPU_H
/*
 * cpu.h: numbers of CPUs, which are those of slots; the shared slot, number
 * percpu_nr_slots(), is a CPU that is possible and never on line. Ids in gaps
 * are possible, too: their slots are zero, or as initialised.
 *
 * Under PERCPU_INDEX_CID slots are no CPUs: smp_processor_id() fits per_cpu(),
 * not smp_call_function_single().
 *
 * Context: any, in signal handlers once something is allocated. What is on line
 * is read from a file each time: threads only.
 */
#include <percpu/arch.h>
#include <percpu/kernel/mask.h>
#include <percpu/kernel/types.h>

PERCPU__DECLS_BEGIN

static inline bool cpu_online(unsigned cpu)
{
	return cpu < percpu_nr_slots() && percpu_cpu_online(cpu);
}

static inline bool cpu_present(unsigned cpu)
{
	return cpu_possible(cpu);
}

static inline bool cpu_is_offline(unsigned cpu)
{
	return !cpu_online(cpu);
}

static inline bool cpu_active(unsigned cpu)
{
	return cpu_online(cpu);
}

static inline unsigned num_possible_cpus(void)
{
	return nr_cpu_ids;
}

static inline unsigned num_present_cpus(void)
{
	return nr_cpu_ids;
}

static inline unsigned num_online_cpus(void)
{
	return cpumask_weight(cpu_online_mask);
}

static inline unsigned num_active_cpus(void)
{
	return num_online_cpus();
}

/* The slot that an operation would use now, which may change at any moment. */
static inline int raw_smp_processor_id(void)
{
	return (int)percpu_this_slot();
}

static inline int smp_processor_id(void)
{
	return (int)percpu_this_slot();
}

/* The node of a CPU; 0 where that has none, as the shared slot. */
static inline int cpu_to_node(int cpu)
{
	int node = percpu_cpu_to_node((unsigned)cpu);

	return node < 0 ? 0 : node;
}

static inline int numa_node_id(void)
{
	return cpu_to_node(percpu_this_cpu());
}

/* A node's CPUs, memory or none: nobody looks for another that has some. */
static inline int cpu_to_mem(int cpu)
{
	return cpu_to_node(cpu);
}

static inline int numa_mem_id(void)
{
	return numa_node_id();
}

/*
 * The @n-th CPU on line, those of @node before others, and from the first again
 * after the last. -1 is no node.
 */
static inline unsigned cpumask_local_spread(unsigned n, int node)
{
	struct cpumask online, near, far;

	cpumask_copy(&online, cpu_online_mask);
	(void)cpumask_and(&near, &online, cpumask_of_node(node));
	(void)cpumask_andnot(&far, &online, &near);
	n %= cpumask_weight(&online);
	if (n < cpumask_weight(&near))
		return cpumask_nth(n, &near);
	return cpumask_nth(n - cpumask_weight(&near), &far);
}

/* In a loop that waits for another CPU. */
static inline void cpu_relax(void)
{
	percpu__relax();
}

/*
 * get_cpu(), preempt_disable() and all below exclude nobody, and keep no thread
 * where it is.
 */
static inline int get_cpu(void)
{
	return smp_processor_id();
}

static inline void put_cpu(void)
{
}

static inline void preempt_disable(void)
{
}

static inline void preempt_enable(void)
{
}

static inline void preempt_disable_notrace(void)
{
}

static inline void preempt_enable_notrace(void)
{
}

static inline void preempt_enable_no_resched(void)
{
}

static inline void migrate_disable(void)
{
}

static inline void migrate_enable(void)
{
}

static inline void local_irq_disable(void)
{
}

static inline void local_irq_enable(void)
{
}

static inline void local_bh_disable(void)
{
}

static inline void local_bh_enable(void)
{
}

/* Keep no CPU on line; get_online_cpus() and put_online_cpus() until 2021. */
static inline void cpus_read_lock(void)
{
}

static inline void cpus_read_unlock(void)
{
}

static inline bool cpus_read_trylock(void)
{
	return true;
}

static inline void get_online_cpus(void)
{
}

static inline void put_online_cpus(void)
{
}

PERCPU__DECLS_END

#define local_irq_save(flags) ((void)((flags) = 0))
#define local_irq_restore(flags) ((void)(flags))

#define for_each_possible_cpu(cpu)                                             \
	for ((cpu) = 0; cpu_possible((unsigned)(cpu)); (cpu)++)

#define for_each_present_cpu(cpu) for_each_possible_cpu (cpu)

/* Those on line at the start of the loop, as far as nobody asks again. */
#define for_each_online_cpu(cpu)                                               \
	PERCPU__KERNEL_EACH(cpu, cpu_online_mask,                              \
			    PERCPU__PASTE(percpu__online_, __LINE__))

#endif

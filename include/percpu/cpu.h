/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_CPU_H
#define PERCPU_CPU_H
/*
 * cpu.h: CPU ids and slots, and which of them this thread uses.
 *
 * An id is a number that the kernel gives a CPU. Ids may have gaps, may exceed
 * the count of CPUs, and a container may show others than it runs on; so
 * tables are sized by percpu_nr_cpu_ids(), never by a count.
 */
#include <percpu/base.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

/* The slot policy: how operations are made exact, one per process. */
enum {
	PERCPU_POLICY_AUTO,   /* RSEQ where the kernel has it, else ATOMIC */
	PERCPU_POLICY_RSEQ,   /* restartable sequences on the CPU's own unit */
	PERCPU_POLICY_ATOMIC, /* atomics on the unit of the CPU getcpu names */
	PERCPU_POLICY_SHARED  /* atomics on the shared slot alone */
};

/* What numbers the slots. */
enum {
	PERCPU_INDEX_CPU, /* the CPU number */
	PERCPU_INDEX_CID  /* the kernel's concurrency id (Linux 6.3) */
};

struct percpu_options {
	size_t size; /* sizeof(struct percpu_options) */
	int policy;  /* PERCPU_POLICY_* */
	int index;   /* PERCPU_INDEX_* */
};

/*
 * Choose the slot policy and index of this process. Optional: without it the
 * first use latches PERCPU_POLICY_AUTO and PERCPU_INDEX_CPU. The environment
 * (PERCPU_BACKEND=auto|rseq|atomic|shared, PERCPU_INDEX=cpu|cid), which is the
 * operator's word, goes before what the program asks for.
 *
 * @opt: the choice; @opt->size is sizeof(struct percpu_options).
 * Returns 0; -EINVAL if @opt is NULL or a field has no meaning; -EBUSY after
 * the first use (an allocation, any query whose answer depends on the policy,
 * a constructor of a variable of static.h: a constructor of priority 101 comes
 * before that); -EOPNOTSUPP if the kernel lacks what was asked for.
 * Context: any thread, not a signal handler.
 */
int percpu_setup(const struct percpu_options *opt);

/*
 * The policy and index that are in force, never PERCPU_POLICY_AUTO. Latches
 * them. A thread that is hindered uses the shared slot under
 * PERCPU_POLICY_RSEQ; percpu_backend() tells.
 *
 * @opt: filled in, size included.
 * Context: any thread, not a signal handler.
 */
void percpu_in_force(struct percpu_options *opt);

/* How a thread's operations reach a slot. */
enum percpu_mode {
	PERCPU_MODE_RSEQ,   /* restartable sequences on its CPU's unit */
	PERCPU_MODE_ATOMIC, /* atomics on its CPU's unit */
	PERCPU_MODE_SHARED  /* atomics on the shared slot */
};

/*
 * What the calling thread uses, and why. Latches the policy. Where libc does
 * not register threads for restartable sequences this also registers the
 * calling thread, so a worker may call it once at its start.
 *
 * @why: if not NULL, *@why becomes a sentence that is never freed.
 * Context: any thread, not a signal handler.
 */
enum percpu_mode percpu_backend(const char **why);

/*
 * The highest possible CPU id + 1, at least 1; the same answer for the life of
 * the process. Context: any, signal handlers after a first call.
 */
unsigned percpu_nr_cpu_ids(void);

/*
 * The number of units that every object has; the shared slot is number
 * percpu_nr_slots(). Latches the policy. Context: any thread, signal handlers
 * once something is allocated.
 */
unsigned percpu_nr_slots(void);

/*
 * The slot that the calling thread would use now: below percpu_nr_slots(), or
 * percpu_nr_slots() itself where that is the shared slot. The thread may have
 * moved by the time the caller looks. Context: as percpu_nr_slots().
 */
unsigned percpu_this_slot(void);

/*
 * The CPU that the calling thread runs on, a kernel id that may be beyond
 * percpu_nr_cpu_ids(); -ENOSYS where the kernel does not tell. Context: any.
 */
int percpu_this_cpu(void);

/*
 * The NUMA node of @cpu; 0 where the kernel shows no nodes, -EINVAL if no such
 * CPU is on a node. Cost: reads a file per node. Context: any thread.
 */
int percpu_cpu_to_node(unsigned cpu);

/*
 * Whether @cpu may ever exist, is on line now, or may run the calling thread.
 * Where /sys is hidden or damaged, the CPUs that may run this thread stand for
 * all three.
 * Cost: reads a file or makes a system call. Context: any thread.
 */
bool percpu_cpu_possible(unsigned cpu);
bool percpu_cpu_online(unsigned cpu);
bool percpu_cpu_allowed(unsigned cpu);

/*
 * This machine's largest cache-line size in bytes, over all of its CPUs;
 * PERCPU_LINE where the kernel does not tell. Cost: reads a file per CPU.
 */
size_t percpu_line_size(void);

/*
 * Wait until every restartable sequence of this process that is running at the
 * call, on any CPU or on @cpu, has ended or been restarted. Stores before the
 * call are seen by every sequence that starts or restarts after it.
 *
 * It restarts sequences and nothing else: operations of threads that have none
 * (PERCPU_MODE_ATOMIC, PERCPU_MODE_SHARED) are single atomics.
 *
 * Returns 0; -EOPNOTSUPP where the kernel cannot (before 5.10, or a filter
 * refuses membarrier) and, for one CPU, where slots are not CPUs
 * (PERCPU_INDEX_CID); -EINVAL if @cpu is beyond percpu_nr_cpu_ids() and no
 * possible CPU has come with that id since. A CPU that is off line, or in a gap
 * of the ids, has no sequence to wait for: 0.
 * Context: any thread. Ordering: a full barrier on each CPU it interrupts.
 * Cost: an interrupt to each CPU that runs another thread of this process; the
 * first call also registers the process, which may take milliseconds.
 * Source: membarrier(2), Linux 5.10.
 */
int percpu_fence(void);
int percpu_fence_cpu(unsigned cpu);

PERCPU__DECLS_END
#endif

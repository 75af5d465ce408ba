/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_H
#define PERCPU_KERNEL_H
/*
 * kernel.h: the names of Linux's per-CPU interfaces, for code that is written
 * to them and moves to user space unchanged.
 *
 *   static DEFINE_PER_CPU(struct lstats, stats);
 *
 *   this_cpu_inc(stats.packets);
 *   for_each_possible_cpu(cpu)
 *           sum += per_cpu(stats, cpu).packets;
 *
 * percpu/percpu.h does not include this header: its names are many, and short
 * ones among them. Who wants them includes it, after or before the others.
 * percpu-kernel(7) tells of each name in what it differs from the kernel's; the
 * differences that matter most:
 *
 * 1. A "CPU" is a slot, and the shared slot, which threads use that run no
 *    restartable sequences, is one more: possible, never on line. nr_cpu_ids is
 *    percpu_nr_slots() + 1, smp_processor_id() may be percpu_nr_slots(). So
 *    tables by CPU number have room, and sums over all possible CPUs are exact;
 *    sums over those on line are not.
 * 2. get_cpu(), get_cpu_ptr(), get_cpu_var() and preempt_disable() exclude
 *    nobody: other threads run on the same CPU, and this one may be moved.
 *    this_cpu_*() are exact; a plain access through this_cpu_ptr() needs a lock
 *    in the object, or fields that are atomic, as u64_stats_t is.
 * 3. this_cpu_*(), __this_cpu_*() and raw_cpu_*() are the same operations.
 * 4. gfp_t is not looked at: every allocation may sleep, none fails for the
 *    reason that it may not.
 * 5. A static per-CPU variable is of the program, library or plug-in that
 *    defines it: another does not link to it, and takes no address of it.
 *
 * C11 and C++17; what is C alone says so.
 *
 *   kernel/types.h   u64 and kin, gfp_t
 *   kernel/cache.h   ____cacheline_aligned and kin, __read_mostly
 *   kernel/alloc.h   alloc_percpu() and kin, of 2008 too
 *   kernel/cpu.h     CPU numbers and loops over them
 *   kernel/cpuhp.h   functions for CPUs that come and go
 *   kernel/mask.h    sets of CPUs
 *   kernel/static.h  DEFINE_PER_CPU() and kin
 *   kernel/ops.h     this_cpu_ptr(), this_cpu_add() and kin
 *   kernel/stats.h   u64_stats_t and local_t
 *   kernel/counter.h percpu_counter and its tree
 *   kernel/ref.h     percpu_ref
 *   kernel/bigref.h  bigrefs, as proposed in 2005
 *   kernel/rwsem.h   percpu_rw_semaphore
 *   kernel/smp.h     smp_call_function() and kin
 */
#include <percpu/kernel/alloc.h>
#include <percpu/kernel/bigref.h>
#include <percpu/kernel/cache.h>
#include <percpu/kernel/counter.h>
#include <percpu/kernel/cpu.h>
#include <percpu/kernel/cpuhp.h>
#include <percpu/kernel/mask.h>
#include <percpu/kernel/ops.h>
#include <percpu/kernel/ref.h>
#include <percpu/kernel/rwsem.h>
#include <percpu/kernel/smp.h>
#include <percpu/kernel/static.h>
#include <percpu/kernel/stats.h>
#include <percpu/kernel/types.h>

#endif

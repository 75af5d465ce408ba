/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_SMP_H
#define PERCPU_KERNEL_SMP_H
/*
 * smp.h: functions that run on other CPUs, by percpu/call.h, which tells of
 * workers, nesting, CPUs that are lost. A called function is run by a thread,
 * not by an interrupt: it may be preempted, and excludes nobody.
 *
 * A CPU of the caller's own is one like others: its worker runs the function,
 * not the caller. CPUs that are not this process's to use are left out by calls
 * to many, and refused, -ENXIO, by calls to one. The shared slot is no CPU.
 *
 * Where the kernel's return nothing these return 0 or -errno, as
 * percpu_call_many(): a call that there is no memory for has not been made.
 * Calls to many that do not wait return when all are queued.
 */
#include <percpu/call.h>
#include <percpu/kernel/mask.h>
#include <percpu/kernel/types.h>
#include <string.h>

PERCPU__DECLS_BEGIN

typedef void (*smp_call_func_t)(void *info);
typedef bool (*smp_cond_func_t)(int cpu, void *info);

/*
 * A struct percpu_csd by the kernel's names. Ready when zero but for func and
 * info. What contains one is at a multiple of 32 bytes, too: kmalloc() saw to
 * that, malloc() does not, aligned_alloc() does.
 */
typedef struct __call_single_data {
	struct percpu_csd *percpu__next;
	uint32_t percpu__state;
	uint16_t src; /* the library's, as all before */
	uint16_t dst;
	smp_call_func_t func;
	void *info;
} __attribute__((aligned(32), may_alias)) call_single_data_t;

/* An initialiser, and a value. */
#ifdef __cplusplus
#define CSD_INIT(f, arg) (call_single_data_t{ nullptr, 0, 0, 0, f, arg })
#else
#define CSD_INIT(f, arg) ((call_single_data_t){ .func = (f), .info = (arg) })
#endif

static inline void INIT_CSD(call_single_data_t *csd, smp_call_func_t f,
			    void *arg)
{
	percpu_csd_init((struct percpu_csd *)csd, f, arg);
}

int percpu__kernel_smp_call(unsigned cpu, smp_call_func_t f, void *info,
			    bool wait);
int percpu__kernel_smp_call_on(unsigned cpu, int (*f)(void *), void *info);
int percpu__kernel_smp_call_mask(const struct cpumask *mask, smp_call_func_t f,
				 void *info, unsigned flags);
int percpu__kernel_smp_call_any(const struct cpumask *mask, smp_call_func_t f,
				void *info);
int percpu__kernel_smp_call_cond(smp_cond_func_t cond, smp_call_func_t f,
				 void *info, bool wait,
				 const struct cpumask *mask);

/*
 * 0, or as percpu_call(). Without @wait nobody waits, for an earlier such call
 * neither; -ENOMEM, it has not been made.
 */
static inline int smp_call_function_single(int cpu, smp_call_func_t f,
					   void *info, int wait)
{
	return percpu__kernel_smp_call((unsigned)cpu, f, info, wait != 0);
}

/* 0; -EBUSY while @csd is in flight; as percpu_call_async(). */
static inline int smp_call_function_single_async(int cpu,
						 call_single_data_t *csd)
{
	return percpu_call_async((unsigned)cpu, (struct percpu_csd *)csd);
}

/* 0, when it has run on one of @mask; waits without @wait, too. */
static inline int smp_call_function_any(const struct cpumask *mask,
					smp_call_func_t f, void *info, int wait)
{
	(void)wait;
	return percpu__kernel_smp_call_any(mask, f, info);
}

/* What @f(@info) returned on @cpu, or as percpu_call(). @phys is nothing. */
static inline int smp_call_on_cpu(unsigned cpu, int (*f)(void *), void *info,
				  bool phys)
{
	(void)phys;
	return percpu__kernel_smp_call_on(cpu, f, info);
}

/* All of @mask but the CPU that the caller is on. */
static inline int smp_call_function_many(const struct cpumask *mask,
					 smp_call_func_t f, void *info,
					 bool wait)
{
	return percpu__kernel_smp_call_mask(
		mask, f, info,
		PERCPU_CALL_OTHERS |
			(wait ? PERCPU_CALL_WAIT : PERCPU_CALL_NOWAIT));
}

/* All on line but the CPU that the caller is on. */
static inline int smp_call_function(smp_call_func_t f, void *info, int wait)
{
	return percpu_call_each(
		NULL, f, info,
		PERCPU_CALL_OTHERS |
			(wait ? PERCPU_CALL_WAIT : PERCPU_CALL_NOWAIT));
}

static inline int on_each_cpu(smp_call_func_t f, void *info, int wait)
{
	return percpu_call_each(NULL, f, info,
				wait ? PERCPU_CALL_WAIT : PERCPU_CALL_NOWAIT);
}

static inline int on_each_cpu_mask(const struct cpumask *mask,
				   smp_call_func_t f, void *info, bool wait)
{
	return percpu__kernel_smp_call_mask(
		mask, f, info, wait ? PERCPU_CALL_WAIT : PERCPU_CALL_NOWAIT);
}

/* Those for which @cond(cpu, @info), asked by the caller first, is true. */
static inline int on_each_cpu_cond_mask(smp_cond_func_t cond, smp_call_func_t f,
					void *info, bool wait,
					const struct cpumask *mask)
{
	return percpu__kernel_smp_call_cond(cond, f, info, wait, mask);
}

static inline int on_each_cpu_cond(smp_cond_func_t cond, smp_call_func_t f,
				   void *info, bool wait)
{
	return percpu__kernel_smp_call_cond(cond, f, info, wait,
					    cpu_online_mask);
}

/*
 * percpu_fence(): the operations that ran at the call have ended, or begin
 * anew, and memory is in order on each CPU that runs this process. 0, or
 * -EOPNOTSUPP.
 */
static inline int kick_all_cpus_sync(void)
{
	return percpu_fence();
}

PERCPU__DECLS_END
#endif

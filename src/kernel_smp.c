/* SPDX-License-Identifier: MIT */
/*
 * kernel_smp.c: calls to CPUs as the kernel has them, by those of call.h.
 */
#include "call.h"

#include <percpu/kernel/smp.h>

#include <errno.h>
#include <stddef.h>

#define SAME(ours, theirs)                                                     \
	_Static_assert(offsetof(struct percpu_csd, ours) ==                    \
			       offsetof(call_single_data_t, theirs),           \
		       "call_single_data_t is struct percpu_csd")

SAME(fn, func);
SAME(arg, info);
_Static_assert(sizeof(struct percpu_csd) == sizeof(call_single_data_t),
	       "call_single_data_t is struct percpu_csd");

static int call_and_go(unsigned cpu, percpu_fn *fn, void *arg)
{
	struct percpu__call_node *node = percpu__call_pool_get(1, fn, arg);
	int err;

	if (node == NULL)
		return -ENOMEM;
	err = percpu_call_async(cpu, &node->csd);
	if (err < 0)
		percpu__call_pool_put(node);
	return err;
}

int percpu__kernel_smp_call(unsigned cpu, smp_call_func_t f, void *info,
			    bool wait)
{
	return wait ? percpu_call(cpu, f, info) : call_and_go(cpu, f, info);
}

struct on {
	int (*f)(void *);
	void *info;
	int result;
};

static void call_on(void *arg)
{
	struct on *on = arg;

	on->result = on->f(on->info);
}

int percpu__kernel_smp_call_on(unsigned cpu, int (*f)(void *), void *info)
{
	struct on on = { f, info, 0 };
	int err = percpu_call(cpu, call_on, &on);

	return err < 0 ? err : on.result;
}

int percpu__kernel_smp_call_mask(const struct cpumask *mask, smp_call_func_t f,
				 void *info, unsigned flags)
{
	return percpu_call_many((const cpu_set_t *)mask, sizeof(*mask), f, info,
				flags);
}

int percpu__kernel_smp_call_any(const struct cpumask *mask, smp_call_func_t f,
				void *info)
{
	int cpu = percpu_call_any((const cpu_set_t *)mask, sizeof(*mask), f,
				  info);

	return cpu < 0 ? cpu : 0;
}

int percpu__kernel_smp_call_cond(smp_cond_func_t cond, smp_call_func_t f,
				 void *info, bool wait,
				 const struct cpumask *mask)
{
	struct cpumask chosen;
	unsigned cpu;

	(void)cpumask_and(&chosen, mask, cpu_online_mask);
	for_each_cpu (cpu, &chosen)
		if (!cond((int)cpu, info))
			__cpumask_clear_cpu(cpu, &chosen);
	return percpu__kernel_smp_call_mask(
		&chosen, f, info, wait ? PERCPU_CALL_WAIT : PERCPU_CALL_NOWAIT);
}

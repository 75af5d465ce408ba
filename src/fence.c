/* SPDX-License-Identifier: MIT */
/*
 * fence.c: restart every section of this process that is running now.
 *
 * The kernel does that for processes that have registered for it (Linux 5.10).
 * Registration is asked for when a fence first fails for want of it: it may
 * wait for all CPUs, and most programs never fence.
 */
#include "os.h"
#include "policy.h"

#include <errno.h>
#include <limits.h>

/* linux/membarrier.h, from Linux 5.10 on. */
#define FENCE_RSEQ 128		/* MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ */
#define FENCE_RSEQ_REGISTER 256 /* MEMBARRIER_CMD_REGISTER_... */
#define FENCE_ONE_CPU 1		/* MEMBARRIER_CMD_FLAG_CPU */

static int fence(unsigned flags, int cpu)
{
	int ret = percpu__os_membarrier(FENCE_RSEQ, flags, cpu);

	if (ret == -EPERM &&
	    percpu__os_membarrier(FENCE_RSEQ_REGISTER, 0, 0) == 0)
		ret = percpu__os_membarrier(FENCE_RSEQ, flags, cpu);
	return ret == 0 ? 0 : -EOPNOTSUPP;
}

int percpu_fence(void)
{
	return fence(0, 0);
}

/* Or did when the process started; a CPU beyond those then may be new. */
static bool may_exist(unsigned cpu)
{
	return cpu < percpu_nr_cpu_ids() ||
	       (cpu <= INT_MAX && percpu_cpu_possible(cpu));
}

int percpu_fence_cpu(unsigned cpu)
{
	if (!may_exist(cpu))
		return -EINVAL;
	if (percpu__policy().index == PERCPU_INDEX_CID)
		return -EOPNOTSUPP;
	return fence(FENCE_ONE_CPU, (int)cpu);
}

/* SPDX-License-Identifier: MIT */
/* plugin.c: an object that calls CPUs, and leaves the library's workers. */
#include <percpu/percpu.h>

int plugin_call(void);
int plugin_run(percpu_fn *fn, void *arg);

static void increment(void *arg)
{
	__atomic_fetch_add((int *)arg, 1, __ATOMIC_RELAXED);
}

/* On how many CPUs a function has run, both ways. */
int plugin_call(void)
{
	static int later;
	int n = 0;

	if (percpu_call_each(NULL, increment, &n, 0) != 0 ||
	    percpu_call_each(NULL, increment, &later, PERCPU_CALL_NOWAIT) != 0)
		return -1;
	return n;
}

int plugin_run(percpu_fn *fn, void *arg)
{
	return percpu_call_each(NULL, fn, arg, 0);
}

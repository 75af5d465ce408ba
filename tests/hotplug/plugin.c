/* SPDX-License-Identifier: MIT */
/* plugin.c: an object that leaves a watcher, and a worker for it to visit. */
#include <percpu/percpu.h>

int plugin_call(void);

static void do_nothing(void *arg)
{
	(void)arg;
}

int plugin_call(void)
{
	if (percpu_call_each(NULL, do_nothing, NULL, 0) != 0)
		return -1;
	return percpu_cpus_watch(do_nothing, NULL) == 0;
}

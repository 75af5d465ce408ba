/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_TASKS_H
#define TESTS_HOTPLUG_TASKS_H
/*
 * tasks.h: where the threads of this process may run.
 */
#include "check.h"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

/* Whether a thread but the first may run on @cpu. */
static inline bool others_may_use(unsigned cpu)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	bool may = false;

	CHECK(dir != NULL);
	while ((entry = readdir(dir)) != NULL) {
		int id = atoi(entry->d_name);
		cpu_set_t set;

		if (id != 0 && id != getpid() &&
		    sched_getaffinity(id, sizeof(set), &set) == 0)
			may |= CPU_ISSET(cpu, &set);
	}
	CHECK(closedir(dir) == 0);
	return may;
}

#endif

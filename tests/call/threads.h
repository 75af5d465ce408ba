/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CALL_THREADS_H
#define TESTS_CALL_THREADS_H
/*
 * threads.h: whether workers have been made, or have ended.
 */
#include "check.h"

#include <dirent.h>
#include <unistd.h>

/* A number that goes up by one for each thread. */
static inline unsigned threads_now(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned n = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	CHECK(closedir(dir) == 0);
	return n;
}

/* One that was joined may be there for a moment. */
static inline void wait_for_threads(unsigned n)
{
	while (threads_now() != n)
		usleep(100);
}

#endif

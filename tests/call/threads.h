/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CALL_THREADS_H
#define TESTS_CALL_THREADS_H
/*
 * threads.h: whether workers have been made, or have ended; and what they leave.
 */
#include "check.h"

#include <dirent.h>
#include <unistd.h>

static inline unsigned entries_of(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	CHECK(closedir(dir) == 0);
	return n;
}

/* A number that goes up by one for each thread. */
static inline unsigned threads_now(void)
{
	return entries_of("/proc/self/task");
}

/* The same for each descriptor. */
static inline unsigned files_now(void)
{
	return entries_of("/proc/self/fd");
}

/* One that was joined may be there for a moment. */
static inline void wait_for_threads(unsigned n)
{
	while (threads_now() != n)
		usleep(100);
}

#endif

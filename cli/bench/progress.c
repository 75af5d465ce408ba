/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <time.h>

/* Not more often than this: writing to a terminal takes the threads' CPU. */
#define EVERY_MS 200

static bool due(void)
{
	static long long last;
	struct timespec t;
	long long ms;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ms = t.tv_sec * 1000LL + t.tv_nsec / 1000000;
	if (ms - last < EVERY_MS)
		return false;
	last = ms;
	return true;
}

void progress_show(const struct bench *b, const char *title, double done)
{
	if (b->progress && due())
		fprintf(stderr, "\r\033[K%3.0f %%  %s", done * 100, title);
}

void progress_clear(const struct bench *b)
{
	if (b->progress)
		fputs("\r\033[K", stderr);
}

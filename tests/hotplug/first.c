/* SPDX-License-Identifier: MIT */
/*
 * The affinity of a first thread that has ended, which the kernel keeps, does
 * not keep CPUs from being gone.
 */
#include "cpus.h"

#include <pthread.h>
#include <string.h>

enum { ITEMS = 40 };

static struct percpu_cache *c;

static void wait_until_ended(void)
{
	char text[256];
	const char *name_end = NULL;

	do {
		FILE *f = fopen("/proc/self/stat", "r");

		if (f == NULL)
			SKIP("/proc is hidden");
		text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
		fclose(f);
		name_end = strrchr(text, ')');
		CHECK(name_end != NULL);
		sched_yield();
	} while (strncmp(name_end, ") Z", 3) != 0);
}

static void *outlive(void *arg)
{
	go_to(allowed_cpu(0));
	wait_until_ended();
	CHECK(percpu_cpus_refresh() == 0);
	if (can_collect(c))
		CHECK_EQ(stats_of(c).depot, ITEMS);
	exit(TEST_PASS);
	return arg;
}

int main(void)
{
	struct percpu_cache_attr attr = { 0 };
	pthread_t thread;

	if (getenv("MESON_EXE_WRAPPER") != NULL)
		SKIP("under an emulator a first thread does not end");
	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	go_to(allowed_cpu(1));
	for (uint64_t i = 0; i < ITEMS; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	CHECK(pthread_create(&thread, NULL, outlive, NULL) == 0);
	pthread_exit(NULL);
}

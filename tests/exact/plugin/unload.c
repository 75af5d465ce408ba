/* SPDX-License-Identifier: MIT */
/*
 * unload.c: an object that ran sections can be unloaded, and its threads live.
 *
 * The kernel reads rseq_cs whenever a thread comes back from a sleep or from
 * another CPU, and kills a process in which it points to what is unmapped. So
 * nothing may be left in it, by any way out of a section.
 *
 * usage: unload PLUGIN...   a thread for each, which alone uses it
 */
#include "check.h"

#include <percpu/percpu.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { ROUNDS = 150, THREADS_MAX = 8 };

static uint64_t PERCPU *count;

static void run_plugin(const char *path, unsigned n)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*add)(uint64_t PERCPU * h, unsigned n);

	if (plugin == NULL)
		FAIL("%s", dlerror());
	*(void **)&add = dlsym(plugin, "plugin_add");
	CHECK(add != NULL);
	add(count, n);
	CHECK(dlclose(plugin) == 0);
	CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
}

/* Leave the CPU, and come back on another if there is one. */
static void travel(unsigned round)
{
	const struct timespec moment = { .tv_nsec = 1000 };
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(round % 2, &one);
	sched_setaffinity(0, sizeof(one), &one);
	nanosleep(&moment, NULL);
}

static void *work(void *path)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_plugin(path, i + 1);
		travel(i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	uint64_t each = (uint64_t)ROUNDS * (ROUNDS + 1) / 2;

	CHECK(argc >= 2 && argc <= THREADS_MAX + 1);
	count = percpu_new(uint64_t);
	CHECK(count != NULL);
	for (int i = 1; i < argc; i++)
		CHECK(pthread_create(&thread[i - 1], NULL, work, argv[i]) == 0);
	for (int i = 1; i < argc; i++)
		pthread_join(thread[i - 1], NULL);
	CHECK_EQ(percpu_sum(count), each * (unsigned)(argc - 1));
	return TEST_PASS;
}

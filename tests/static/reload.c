/* SPDX-License-Identifier: MIT */
/*
 * B31, conformance 33: a plug-in's variables start anew each time it is loaded,
 * and nothing of them is left when it goes: no object, no mapping. Threads that
 * used them end later, without harm.
 *
 * usage: reload PLUGIN ROUNDS
 */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

/* Where the program has the library, too. */
#ifdef WITH_LIBRARY
#include <percpu/alloc.h>
#endif

enum { ADDS = 20, WITH_THREAD = 16 };

struct plugin {
	void *handle;
	int (*fresh)(void);
	uint64_t (*add)(unsigned);
};

static struct plugin plugin;
static pthread_barrier_t used;
static pthread_barrier_t gone;

static void load(const char *path)
{
	plugin.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (plugin.handle == NULL)
		FAIL("%s", dlerror());
	*(void **)&plugin.fresh = dlsym(plugin.handle, "plugin_fresh");
	*(void **)&plugin.add = dlsym(plugin.handle, "plugin_add");
	CHECK(plugin.fresh != NULL && plugin.add != NULL);
}

static void unload(const char *path)
{
	CHECK(dlclose(plugin.handle) == 0);
	CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
}

static void *work(void *arg)
{
	plugin.add(ADDS);
	pthread_barrier_wait(&used);
	pthread_barrier_wait(&gone);
	return arg;
}

static void run_round(const char *path)
{
	load(path);
	CHECK(plugin.fresh());
	CHECK_EQ(plugin.add(ADDS), ADDS);
	CHECK(!plugin.fresh());
	unload(path);
}

static void run_with_thread(const char *path)
{
	pthread_t thread;

	load(path);
	CHECK(plugin.fresh());
	CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
	pthread_barrier_wait(&used);
	CHECK_EQ(plugin.add(ADDS), 2 * ADDS);
	unload(path);
	pthread_barrier_wait(&gone);
	pthread_join(thread, NULL);
}

static size_t live(void)
{
#ifdef WITH_LIBRARY
	struct percpu_alloc_stats stats;

	percpu_alloc_stats(&stats);
	return stats.live;
#else
	return 0;
#endif
}

static unsigned mappings(void)
{
	unsigned lines = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	CHECK(maps != NULL);
	for (int c = fgetc(maps); c != EOF; c = fgetc(maps))
		lines += c == '\n';
	fclose(maps);
	return lines;
}

int main(int argc, char **argv)
{
	unsigned maps;
	size_t objects = live();

	CHECK(argc == 3);
	pthread_barrier_init(&used, NULL, 2);
	pthread_barrier_init(&gone, NULL, 2);
	run_with_thread(argv[1]);
	run_round(argv[1]);
	maps = mappings();
	for (int i = 0; i < atoi(argv[2]); i++) {
		if (i % WITH_THREAD == 0)
			run_with_thread(argv[1]);
		else
			run_round(argv[1]);
		CHECK_EQ(live(), objects);
	}
	CHECK_EQ(mappings(), maps);
	return TEST_PASS;
}

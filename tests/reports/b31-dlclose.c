/* SPDX-License-Identifier: MIT */
/*
 * b31-dlclose.c: the library, loaded and unloaded at run time, leaves nothing.
 *
 * Report: mimalloc 809, s2n-tls 3987, sssd 6505. A thread that had used a
 * library ran its destructor, at its end, after the library was unmapped.
 * Here no mapping is left either, and a fork does not run into a handler that
 * is gone. Where the library registers threads by itself through a pthread
 * key, it stays loaded on purpose ("stays"); else it takes none for this.
 *
 * usage: b31-dlclose LIBRARY [stays]
 */
#include "check.h"
#include "keys.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 30, THREADS = 4 };

struct library {
	void *handle;
	void *(*alloc)(size_t, size_t);
	void (*free)(void *);
	void (*add)(void *, uint64_t);
	uint64_t (*sum)(void *);
};

static struct library lib;
static void *object;
static unsigned keys; /* left while the library is in use */
static pthread_barrier_t used;
static pthread_barrier_t closed;

static void load(const char *path)
{
	lib.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (lib.handle == NULL)
		FAIL("%s", dlerror());
	*(void **)&lib.alloc = dlsym(lib.handle, "percpu_alloc");
	*(void **)&lib.free = dlsym(lib.handle, "percpu_free");
	*(void **)&lib.add = dlsym(lib.handle, "percpu_add_u64");
	*(void **)&lib.sum = dlsym(lib.handle, "percpu_sum_u64");
}

/* Ends after the library is gone. */
static void *work(void *arg)
{
	for (unsigned i = 0; i < 1000; i++)
		lib.add(object, 3);
	pthread_barrier_wait(&used);
	pthread_barrier_wait(&closed);
	return arg;
}

static void fork_once(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(TEST_PASS);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
}

static void run_round(const char *path)
{
	pthread_t thread[THREADS];

	load(path);
	object = lib.alloc(8, 8);
	CHECK(object != NULL);
	CHECK_EQ(lib.sum(object), 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work, NULL) == 0);
	pthread_barrier_wait(&used);
	CHECK_EQ(lib.sum(object), THREADS * 3000);
	CHECK_EQ(keys_left(), keys);
	lib.free(object);
	CHECK(dlclose(lib.handle) == 0);
	pthread_barrier_wait(&closed);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	fork_once();
}

/* Lines of this process's map, of them those that name @library. */
static unsigned mappings(const char *library, unsigned *of_library)
{
	const char *file = strrchr(library, '/');
	char line[512];
	unsigned count = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	CHECK(maps != NULL && file != NULL);
	*of_library = 0;
	while (fgets(line, sizeof(line), maps) != NULL) {
		count++;
		*of_library += strstr(line, file) != NULL;
	}
	fclose(maps);
	return count;
}

int main(int argc, char **argv)
{
	bool stays = argc == 3 && strcmp(argv[2], "stays") == 0;
	unsigned left;
	unsigned before;

	CHECK(argc >= 2);
	pthread_barrier_init(&used, NULL, THREADS + 1);
	pthread_barrier_init(&closed, NULL, THREADS + 1);
	/* What it keeps when it stays is one. */
	keys = keys_left() - stays;
	run_round(argv[1]);
	before = mappings(argv[1], &left);
	CHECK(stays == (left != 0));
	for (unsigned i = 0; i < ROUNDS; i++)
		run_round(argv[1]);
	CHECK_EQ(mappings(argv[1], &left), before);
	return TEST_PASS;
}

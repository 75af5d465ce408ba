/* SPDX-License-Identifier: MIT */
/*
 * B34: variables are there until the process is not. A detached thread uses the
 * program's and a plug-in's while main() returns; so do a handler of atexit(), a
 * destructor, the destructors of another thread's key and, in exit.cc, of an
 * object of C++; and those of a library that the program is linked with (LINKED),
 * or that is preloaded. The process ends with 0.
 *
 * usage: exit PLUGIN TIMES
 */
#include "check.h"

#include <percpu/ops.h>
#include <percpu/static.h>

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static PERCPU_DEFINE(uint64_t, count);

uint64_t linked_add(unsigned n);
#ifndef LINKED
#pragma weak linked_add
#endif

static uint64_t (*plugin_add)(unsigned n);
static sem_t under_way;
static pthread_key_t key;

static void use(void)
{
	uint64_t (*linked)(unsigned n) = linked_add;

	percpu_inc(percpu_var(count));
	if (linked != NULL)
		linked(1);
	if (plugin_add != NULL)
		plugin_add(1);
}

static void use_and_check(void)
{
	uint64_t before = percpu_sum(percpu_var(count));

	use();
	if (percpu_sum(percpu_var(count)) <= before)
		_exit(TEST_FAIL);
}

static void use_in_key(void *arg)
{
	(void)arg;
	use();
}

static void __attribute__((destructor)) use_at_end(void)
{
	use_and_check();
}

static void *add_for_ever(void *arg)
{
	use();
	sem_post(&under_way);
	for (;;)
		use();
	return arg;
}

/* Threads with a value of the key come and go. */
static void *end_soon(void *arg)
{
	pthread_setspecific(key, &key);
	return arg;
}

static void *start_threads(void *arg)
{
	pthread_t thread;

	sem_post(&under_way);
	for (;;)
		if (pthread_create(&thread, NULL, end_soon, NULL) == 0)
			pthread_join(thread, NULL);
	return arg;
}

static void detach(void *(*fn)(void *))
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, fn, NULL) == 0);
	CHECK(pthread_detach(thread) == 0);
	CHECK(sem_wait(&under_way) == 0);
}

static int run(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (plugin == NULL)
		FAIL("%s", dlerror());
	*(void **)&plugin_add = dlsym(plugin, "plugin_add");
	CHECK(plugin_add != NULL);
	CHECK(atexit(use_and_check) == 0);
	CHECK(sem_init(&under_way, 0, 0) == 0);
	CHECK(pthread_key_create(&key, use_in_key) == 0);
	detach(add_for_ever);
	detach(start_threads);
	return TEST_PASS;
}

int main(int argc, char **argv)
{
	char self[] = "/proc/self/exe";
	char *child[] = { argv[0], argv[1], NULL };
	int status;
	pid_t pid;

	if (argc == 2)
		return run(argv[1]);
	CHECK(argc == 3);
	for (int i = 0; i < atoi(argv[2]); i++) {
		CHECK(posix_spawn(&pid, self, NULL, NULL, child, environ) == 0);
		CHECK(waitpid(pid, &status, 0) == pid);
		if (status != 0)
			FAIL("run %d ended with status 0x%x", i, status);
	}
	return TEST_PASS;
}

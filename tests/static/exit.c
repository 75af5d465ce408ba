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
#include "exits.h"

#include <percpu/ops.h>
#include <percpu/static.h>

#include <dlfcn.h>
#include <unistd.h>

static PERCPU_DEFINE(uint64_t, count);

uint64_t linked_add(unsigned n);
#ifndef LINKED
#pragma weak linked_add
#endif

static uint64_t (*plugin_add)(unsigned n);

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
	char *child[] = { argv[0], argv[1], NULL };

	if (argc == 2)
		return run(argv[1]);
	CHECK(argc == 3);
	return run_again(child, atoi(argv[2]));
}

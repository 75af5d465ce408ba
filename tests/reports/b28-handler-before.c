/* SPDX-License-Identifier: MIT */
/*
 * b28-handler-before.c: fork handlers from before the library was loaded may
 * use it.
 *
 * Report: as b28-fork.c. Such handlers run after the library's own has taken
 * its lock, and before it lets go of it.
 *
 * usage: b28-handler-before LIBRARY
 */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 }; /* for a program that hangs */

static void *(*alloc)(size_t, size_t);
static void (*give_back)(void *);
static unsigned ran;

static void allocate(void)
{
	void *h;

	alarm(SECONDS); /* also in the child, which inherits none */
	if (alloc == NULL)
		return;
	h = alloc(8, 8);
	CHECK(h != NULL);
	give_back(h);
	ran++;
}

int main(int argc, char **argv)
{
	void *library;
	int status;
	pid_t child;

	CHECK(argc == 2);
	CHECK(pthread_atfork(allocate, allocate, allocate) == 0);
	library = dlopen(argv[1], RTLD_NOW);
	if (library == NULL)
		FAIL("%s", dlerror());
	*(void **)&give_back = dlsym(library, "percpu_free");
	*(void **)&alloc = dlsym(library, "percpu_alloc");
	child = fork();
	CHECK_EQ(ran, 2);
	allocate();
	if (child == 0)
		_exit(TEST_PASS);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	return TEST_PASS;
}

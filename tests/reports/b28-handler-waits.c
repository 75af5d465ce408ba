/* SPDX-License-Identifier: MIT */
/*
 * b28-handler-waits.c: a fork handler from before the library was loaded waits
 * for a lock; the lock's holder allocates meanwhile.
 *
 * Report: as b28-fork.c. Such a handler runs after the library's own: one that
 * took the allocator's lock would never let the other thread go.
 *
 * usage: b28-handler-waits LIBRARY
 */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20, FORKS = 50 };

static void *(*alloc)(size_t, size_t);
static void (*give_back)(void *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int holding; /* the other thread has the lock */
static int waiting; /* this one wants it, in the middle of a fork */

static void set(int *flag, int value)
{
	__atomic_store_n(flag, value, __ATOMIC_SEQ_CST);
}

static void wait_for(int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_SEQ_CST) != value)
		sched_yield();
}

static void use(size_t size)
{
	void *h = alloc(size, 8);

	CHECK(h != NULL);
	give_back(h);
}

static void before_fork(void)
{
	set(&waiting, 1);
	pthread_mutex_lock(&lock);
	set(&waiting, 0);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void *hold_and_allocate(void *arg)
{
	for (unsigned i = 0; i < FORKS; i++) {
		pthread_mutex_lock(&lock);
		set(&holding, 1);
		wait_for(&waiting, 1);
		use(8 + 512 * (i % 5));
		pthread_mutex_unlock(&lock);
		wait_for(&holding, 0);
	}
	return arg;
}

static void fork_once(void)
{
	int status;
	pid_t child;

	wait_for(&holding, 1);
	child = fork();
	if (child == 0) {
		alarm(SECONDS);
		use(8);
		_exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	set(&holding, 0);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *library;

	CHECK(argc == 2);
	alarm(SECONDS); /* for a fork that hangs */
	CHECK(pthread_atfork(before_fork, after_fork, after_fork) == 0);
	library = dlopen(argv[1], RTLD_NOW);
	if (library == NULL)
		FAIL("%s", dlerror());
	*(void **)&give_back = dlsym(library, "percpu_free");
	*(void **)&alloc = dlsym(library, "percpu_alloc");
	use(8);
	CHECK(pthread_create(&thread, NULL, hold_and_allocate, NULL) == 0);
	for (unsigned i = 0; i < FORKS; i++)
		fork_once();
	CHECK(pthread_join(thread, NULL) == 0);
	return TEST_PASS;
}

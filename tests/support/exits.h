/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_EXITS_H
#define TESTS_SUPPORT_EXITS_H
/*
 * exits.h: processes that end while their threads go on.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static sem_t under_way;	  /* posted by each thread that is */
static pthread_key_t key; /* its destructor is the test's */

/* A thread with a value of the key. */
static void *end_soon(void *arg)
{
	pthread_setspecific(key, &key);
	return arg;
}

/* A thread: such threads come and go. */
static void *start_threads(void *arg)
{
	pthread_t thread;

	sem_post(&under_way);
	for (;;)
		if (pthread_create(&thread, NULL, end_soon, NULL) == 0)
			pthread_join(thread, NULL);
	return arg;
}

/* Run this program so many @times with the arguments @child: it ends with 0. */
static int run_again(char *const child[], int times)
{
	char self[] = "/proc/self/exe";
	int status;
	pid_t pid;

	for (int i = 0; i < times; i++) {
		CHECK(posix_spawn(&pid, self, NULL, NULL, child, environ) == 0);
		CHECK(waitpid(pid, &status, 0) == pid);
		if (status != 0)
			FAIL("run %d ended with status 0x%x", i, status);
	}
	return TEST_PASS;
}

#endif

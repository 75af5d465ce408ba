/* SPDX-License-Identifier: MIT */
/*
 * A child of fork exits, though the loader's list of objects was locked at the
 * fork, by a thread that did not come along.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <link.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

PERCPU_DEFINE(uint64_t, count);

static pthread_barrier_t held;
static pthread_barrier_t forked;

static int wait_in(struct dl_phdr_info *object, size_t size, void *arg)
{
	(void)object;
	(void)size;
	(void)arg;
	pthread_barrier_wait(&held);
	pthread_barrier_wait(&forked);
	return 1;
}

static void *hold(void *arg)
{
	dl_iterate_phdr(wait_in, NULL);
	return arg;
}

int main(void)
{
	pthread_t holder;
	int status;
	pid_t child;

	percpu_inc(percpu_var(count));
	pthread_barrier_init(&held, NULL, 2);
	pthread_barrier_init(&forked, NULL, 2);
	CHECK(pthread_create(&holder, NULL, hold, NULL) == 0);
	pthread_barrier_wait(&held);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		alarm(20);
		percpu_inc(percpu_var(count));
		exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	pthread_barrier_wait(&forked);
	CHECK(pthread_join(holder, NULL) == 0);
	return TEST_PASS;
}

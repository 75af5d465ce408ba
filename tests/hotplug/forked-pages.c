/* SPDX-License-Identifier: MIT */
/*
 * A child forked in the middle of another thread's refresh, which had found out
 * who is gone and not yet given pages back, gives them back by its own.
 */
#include "cpus.h"
#include "intercept.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

enum { OBJECTS = 20000 };

static uint64_t PERCPU *h[OBJECTS];
static pthread_barrier_t ready;
static int madvises;

static void *refresh(void *arg)
{
	madvises = intercept(SYS_madvise);
	pthread_barrier_wait(&ready);
	CHECK(percpu_cpus_refresh() == 0);
	return arg;
}

static void child(unsigned left, size_t had)
{
	CHECK(percpu_cpus_refresh() == 0);
	CHECK(percpu_alloc_populated(left) <= had / 4);
	_exit(TEST_PASS);
}

static void use_and_leave(unsigned left)
{
	go_to(left);
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = percpu_new(uint64_t);
		CHECK(h[i] != NULL);
		*percpu_ptr(h[i], left) = 1;
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[i]);
	go_to(allowed_cpu(0));
}

int main(void)
{
	unsigned left = allowed_cpu(1);
	pthread_t thread;
	uint64_t call;
	size_t had;
	int status;
	pid_t pid;

	CHECK(percpu_cpus_refresh() == 0);
	use_and_leave(left);
	had = percpu_alloc_populated(left);
	CHECK(had >= OBJECTS * sizeof(uint64_t));
	CHECK(pthread_barrier_init(&ready, NULL, 2) == 0);
	CHECK(pthread_create(&thread, NULL, refresh, NULL) == 0);
	pthread_barrier_wait(&ready);
	call = intercepted(madvises);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		child(left, had);
	answer(madvises, call, -EINVAL);
	CHECK(waitpid(pid, &status, 0) == pid);
	/* The others are answered as locked memory is. */
	close(madvises);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	CHECK(pthread_join(thread, NULL) == 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * b28-fork.c: fork at any moment leaves a working child and an exact parent.
 *
 * Report: jemalloc 2019 and 315, gperftools 499. A child hung on a lock that
 * another thread held as it was made. Here the program also has fork handlers
 * of its own, which allocate.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, FORKS = 500, CHILD_ADDS = 100, CHILD_SECONDS = 10 };

static uint64_t PERCPU *count; /* only grows */
static int stop;
static uint64_t added[THREADS];
static unsigned handlers_ran;

static void allocate_some(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	percpu_add(h, 5);
	CHECK_EQ(percpu_sum(h), 5);
	percpu_free(h);
	handlers_ran++;
}

static void in_child(void)
{
	alarm(CHILD_SECONDS); /* ends a child that hangs */
	allocate_some();
}

static void *work(void *arg)
{
	uint64_t *mine = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint32_t PERCPU *h = percpu_new(uint32_t);

		CHECK(h != NULL);
		percpu_inc(count);
		percpu_dec(h);
		percpu_free(h);
		(*mine)++;
	}
	return NULL;
}

static void *work_in_child(void *arg)
{
	allocate_some();
	return arg;
}

/* Alone in a copy of the process: what it sees changes by itself alone. */
static void be_child(uint64_t before)
{
	pthread_t thread;
	uint64_t PERCPU *own;
	uint64_t then;

	then = percpu_sum(count);
	CHECK(then >= before);
	own = percpu_new(uint64_t);
	CHECK(own != NULL);
	CHECK_EQ(percpu_sum(own), 0);
	for (unsigned i = 0; i < CHILD_ADDS; i++) {
		percpu_inc(count);
		percpu_add(own, 3);
	}
	CHECK_EQ(percpu_sum(count), then + CHILD_ADDS);
	CHECK_EQ(percpu_sum(own), 3 * CHILD_ADDS);
	percpu_free(own);
	CHECK(pthread_create(&thread, NULL, work_in_child, NULL) == 0);
	pthread_join(thread, NULL);
	_exit(TEST_PASS);
}

static void fork_once(void)
{
	uint64_t before = percpu_sum(count);
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0)
		be_child(before);
	CHECK(waitpid(child, &status, 0) == child);
	if (WIFSIGNALED(status))
		FAIL("a child ended by signal %d", WTERMSIG(status));
	CHECK_EQ(WEXITSTATUS(status), TEST_PASS);
}

int main(void)
{
	pthread_t thread[THREADS];
	uint64_t total = 0;

	CHECK(pthread_atfork(allocate_some, allocate_some, in_child) == 0);
	count = percpu_new(uint64_t);
	CHECK(count != NULL);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work, &added[i]) == 0);
	for (unsigned i = 0; i < FORKS; i++)
		fork_once();
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		total += added[i];
	}
	CHECK_EQ(percpu_sum(count), total);
	CHECK_EQ(handlers_ran, 2 * FORKS);
	return TEST_PASS;
}

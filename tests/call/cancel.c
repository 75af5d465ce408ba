/* SPDX-License-Identifier: MIT */
/*
 * A thread that is to be cancelled is so after its call, not in it: what runs
 * elsewhere writes to its stack. Nor is it where it looks at the CPUs, with
 * locks: others can do so afterwards.
 */
#include "support.h"

enum { SECONDS = 60 };

static int pipe_ends[2];
static bool returned;

/* Ends when the caller has said that it has waited long. */
static void stick(void *arg)
{
	char text[1024];

	CHECK(read(pipe_ends[0], text, sizeof(text)) > 0);
	count_one(arg);
}

static void *call(void *arg)
{
	uint64_t n = 0;
	int saved = dup(STDERR_FILENO);

	CHECK(dup2(pipe_ends[1], STDERR_FILENO) >= 0);
	CHECK(pthread_cancel(pthread_self()) == 0);
	CHECK(percpu_call(cpu_at(0), stick, &n) == 0);
	CHECK(dup2(saved, STDERR_FILENO) >= 0);
	CHECK_EQ(n, 1);
	raise_flag(&returned);
	pthread_testcancel();
	return arg;
}

static void *look(void *arg)
{
	uint64_t n = 0;

	CHECK(pthread_cancel(pthread_self()) == 0);
	CHECK(percpu_cpus_refresh() == 0);
	CHECK(percpu_call_each(NULL, count_one, &n, 0) == 0);
	CHECK_EQ(n, nr_cpus);
	raise_flag(&returned);
	pthread_testcancel();
	return arg;
}

static void check(void *(*fn)(void *))
{
	pthread_t thread;
	void *result = NULL;

	returned = false;
	CHECK(pthread_create(&thread, NULL, fn, NULL) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	CHECK(returned && result == PTHREAD_CANCELED);
}

int main(void)
{
	alarm(SECONDS);
	CHECK(setenv("PERCPU_CALL_TIMEOUT", "1", 1) == 0);
	CHECK(pipe(pipe_ends) == 0);
	find_cpus();
	check(look);
	check(call);
	CHECK(percpu_cpus_refresh() == 0);
	CHECK(percpu_call_stop() == 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * A thread with 16 KiB of stack may be the first to use whatever the library
 * has.
 */
#include "check.h"
#include "memory.h"

#include <errno.h>
#include <limits.h>
#include <percpu/percpu.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void allocate(void)
{
	void PERCPU *h = percpu_alloc(8, 8);

	CHECK(h != NULL);
	percpu_free(h);
}

static void count(void)
{
	struct percpu_counter c;

	CHECK(percpu_counter_init(&c, 0) == 0);
	percpu_counter_add(&c, 1);
	CHECK_EQ(percpu_counter_sum(&c), 1);
	percpu_counter_destroy(&c);
}

static void cache(void)
{
	struct percpu_cache *c = percpu_cache_create(NULL);

	CHECK(c != NULL);
	CHECK(percpu_cache_put(c, 1) == 0);
	percpu_cache_trim(c);
	percpu_cache_destroy(c);
}

static void ask(void)
{
	CHECK(percpu_nr_cpu_ids() > 0);
	percpu_cpu_online(0);
	percpu_cpu_to_node(0);
	CHECK(percpu_line_size() > 0);
}

static void refresh(void)
{
	CHECK(percpu_cpus_refresh() == 0);
}

static void call(void)
{
	int err = percpu_call((unsigned)percpu_this_cpu(), free, NULL);

	CHECK(err == 0 || err == -ESTALE);
	refresh();
}

static void (*const functions[])(void) = { allocate, count,   cache,
					   ask,	     refresh, call };

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static void *run(void *arg)
{
	functions[(uintptr_t)arg]();
	return arg;
}

/* What glibc has for the least; musl has less. */
static size_t least(void)
{
	size_t bytes = (size_t)PTHREAD_STACK_MIN;

	return bytes > 16384 ? bytes : 16384;
}

/* Each in a process of its own. */
static void try(uintptr_t i)
{
	pthread_attr_t attr;
	pthread_t thread;

	CHECK(pthread_attr_init(&attr) == 0);
	CHECK(pthread_attr_setstacksize(&attr, least()) == 0);
	CHECK(pthread_create(&thread, &attr, run, (void *)i) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	exit(TEST_PASS);
}

int main(void)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more stack");
	for (uintptr_t i = 0; i < FUNCTIONS; i++) {
		int status;
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0)
			try(i);
		CHECK(waitpid(child, &status, 0) == child);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != TEST_PASS)
			FAIL("function %zu: status %#x", (size_t)i, status);
	}
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * A fork handler of the program's that runs in the child before the library's
 * own may call, and queue calls: they run there, once, on workers that stay.
 */
#include "support.h"
#include "threads.h"

#include <sys/wait.h>

enum { SECONDS = 60 };

static struct percpu_csd first;
static struct percpu_csd second;
static uint64_t n;

static void in_child(void)
{
	alarm(SECONDS);
	CHECK(percpu_call(cpu_at(0), count_one, &n) == 0);
	CHECK(percpu_call_async(cpu_at(0), &first) == 0);
	wait_for(&running);
	CHECK(percpu_call_async(cpu_at(0), &second) == 0);
	CHECK(percpu_call_each(NULL, count_one, &n, PERCPU_CALL_NOWAIT) == 0);
}

static void use(void)
{
	unsigned threads = threads_now();

	CHECK(percpu_call_async(cpu_at(0), &first) == 0);
	CHECK(percpu_call_async(cpu_at(0), &second) == -EBUSY);
	raise_flag(&go_on);
	for (unsigned i = 0; i < nr_cpus; i++)
		CHECK(percpu_call(cpus[i], do_nothing, NULL) == 0);
	CHECK_EQ(n, 2 + nr_cpus);
	CHECK_EQ(threads_now(), threads);
	CHECK(percpu_call_stop() == 0);
	wait_for_threads(threads - nr_cpus);
}

int main(void)
{
	int status;
	pid_t pid;

	alarm(SECONDS);
	/* Before the library registers its own. */
	CHECK(pthread_atfork(NULL, NULL, in_child) == 0);
	find_cpus();
	percpu_csd_init(&first, hold, NULL);
	percpu_csd_init(&second, count_one, &n);
	pid = fork();
	if (pid == 0) {
		use();
		_exit(TEST_PASS);
	}
	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	return TEST_PASS;
}

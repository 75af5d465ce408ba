/* SPDX-License-Identifier: MIT */
/*
 * Where memory is short when a program is loaded, a variable's first use says
 * so and ends the program, which can ask before, and goes on if there is some
 * when it asks; static locks are locks, and bigrefs count, in one word.
 */
#include "check.h"
#include "no_memory.h"

#include <percpu/kernel.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static DEFINE_PER_CPU(u64, number) = 3;
DEFINE_STATIC_PERCPU_RWSEM(sem);
static unsigned released;

static void release(struct bigref *r)
{
	(void)r;
	released++;
}

static void variable(void)
{
	char text[500] = "";
	int said[2], status;
	pid_t pid;

	CHECK(pipe(said) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		dup2(said[1], 2);
		this_cpu_inc(number);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	CHECK(read(said[0], text, sizeof(text) - 1) > 0);
	CHECK(strstr(text, "DEFINE_PER_CPU") != NULL);
}

static void lock(void)
{
	percpu_down_read(&sem);
	CHECK(percpu_down_read_trylock(&sem));
	percpu_up_read(&sem);
	percpu_up_read(&sem);
	percpu_down_write(&sem);
	CHECK(!percpu_down_read_trylock(&sem));
	percpu_up_write(&sem);
}

static void count(void)
{
	struct bigref r;

	bigref_init(&r);
	bigref_get(&r);
	bigref_put(&r, release);
	bigref_disown(&r);
	CHECK_EQ(released, 0);
	bigref_put(&r, release);
	CHECK_EQ(released, 1);
}

int main(void)
{
	CHECK(!percpu_kernel_ready());
	CHECK(alloc_percpu(u64) == NULL);
	lock();
	count();
	variable();
	memory_is_there = true;
	variable();
	CHECK(percpu_kernel_ready());
	this_cpu_inc(number);
	CHECK_EQ(per_cpu_sum(&number), 3 * nr_cpu_ids + 1);
	lock();
	return TEST_PASS;
}

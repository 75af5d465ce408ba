/* SPDX-License-Identifier: MIT */
/*
 * A child of fork forks at each instruction of its first take of a lock: the
 * lock is free in the grandchild, or the thread goes on there, and has it.
 */
#include "mutex.h"

#include "../alloc/stepped.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };

static struct percpu__mutex m;
static unsigned forks;
static bool grandchild;

/*
 * The first take says that an ancestor may have had it, no later one. One who
 * goes on may have begun as a child and ended as a grandchild, which is told.
 */
static void use(bool goes_on)
{
	CHECK(percpu__mutex_take(&m) || goes_on);
	percpu__mutex_drop(&m);
	CHECK(!percpu__mutex_take(&m));
	percpu__mutex_drop(&m);
}

static void end_well(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

/* Whether this is a grandchild that goes on. */
static bool forked(bool goes_on)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid > 0) {
		end_well(pid);
		return false;
	}
	alarm(SECONDS);
	grandchild = true;
	if (goes_on)
		return true;
	use(false);
	_exit(TEST_PASS);
}

static bool stepped_do(void)
{
	forked(false);
	forks++;
	return !forked(true);
}

static void child(void)
{
	stepped_start();
	percpu__mutex_take(&m);
	stepped_stop();
	percpu__mutex_drop(&m);
	if (grandchild)
		use(true);
	CHECK(grandchild || forks > 20);
	_exit(TEST_PASS);
}

int main(void)
{
	pid_t pid;

	stepped_prepare();
	CHECK(percpu__mutex_start() == 0);
	percpu__mutex_init(&m);
	CHECK(!percpu__mutex_take(&m));
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		child();
	end_well(pid);
	return TEST_PASS;
}

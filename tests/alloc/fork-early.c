/* SPDX-License-Identifier: MIT */
/*
 * A fork handler of the program's that runs in the child before the library's
 * own allocates, and makes a thread that does: the lock is that thread's then,
 * and what it guards is not put in order once more.
 */
#include "check.h"

#include "../../src/central.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, LINGER_US = 20000 };

static pthread_t holder;
static uint32_t restored;
static bool held;
static bool go_on;
static bool entered;

static void raise_flag(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static void wait_for(const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		usleep(100);
}

static void *hold(void *arg)
{
	percpu__central_enter();
	restored = percpu__central_restored;
	raise_flag(&held);
	wait_for(&go_on);
	percpu__central_leave();
	return arg;
}

static void *enter(void *arg)
{
	percpu__central_enter();
	raise_flag(&entered);
	percpu__central_leave();
	return arg;
}

static void in_child(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	alarm(SECONDS);
	CHECK(h != NULL);
	percpu_free(h);
	CHECK(pthread_create(&holder, NULL, hold, NULL) == 0);
	wait_for(&held);
}

static void check(void)
{
	pthread_t other;

	CHECK(pthread_create(&other, NULL, enter, NULL) == 0);
	usleep(LINGER_US);
	CHECK(!__atomic_load_n(&entered, __ATOMIC_ACQUIRE));
	raise_flag(&go_on);
	CHECK(pthread_join(holder, NULL) == 0);
	CHECK(pthread_join(other, NULL) == 0);
	CHECK(entered);
	CHECK_EQ(percpu__central_restored, restored);
}

int main(void)
{
	int status;
	pid_t pid;

	alarm(SECONDS);
	/* Before the library registers its own. */
	CHECK(pthread_atfork(NULL, NULL, in_child) == 0);
	percpu_free(percpu_new(uint64_t));
	pid = fork();
	if (pid == 0) {
		check();
		_exit(TEST_PASS);
	}
	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * A child of fork has no watcher, none of its descriptors, and may start its
 * own: wherever the parent is with its, and where the function itself forks.
 */
#include "events.h"
#include "watched.h"

#include <pthread.h>
#include <sys/wait.h>

enum { FORKS = 50 };

static const char event[] = "offline@/devices/system/cpu/cpu1";
static bool stop;
static pid_t child_of_fn;

static void use(void)
{
	uint64_t before = said;

	CHECK(percpu_cpus_watch(say, NULL) == 0);
	CHECK(percpu_cpus_watch(say, NULL) == -EBUSY);
	tell(event);
	wait_until_said(before + 1);
	CHECK(percpu_cpus_unwatch() == 0);
}

static void expect_pass(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

/* With nothing open but what there was before the watcher, and its two ends. */
static void check_at_rest(unsigned files)
{
	pid_t pid;

	CHECK(percpu_cpus_watch(say, NULL) == 0);
	pid = fork();
	if (pid == 0) {
		alarm(60);
		CHECK_EQ(files_now(), files + 2);
		use();
		_exit(TEST_PASS);
	}
	expect_pass(pid);
	CHECK(percpu_cpus_unwatch() == 0);
	events_close();
}

/* One goes on in the function, one returns, and then its thread ends. */
static void fork_within(void *arg)
{
	const bool *uses = arg;

	child_of_fn = fork();
	if (child_of_fn == 0) {
		alarm(60);
		if (*uses) {
			use();
			_exit(TEST_PASS);
		}
		return;
	}
	say(NULL);
}

static void check_within(bool uses)
{
	uint64_t before = said;

	CHECK(percpu_cpus_watch(fork_within, &uses) == 0);
	tell(event);
	wait_until_said(before + 1);
	CHECK(percpu_cpus_unwatch() == 0);
	expect_pass(child_of_fn);
	events_close();
}

static void *start_and_end(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		CHECK(percpu_cpus_watch(NULL, NULL) == 0);
		CHECK(percpu_cpus_unwatch() == 0);
		events_close();
	}
	return arg;
}

static void check_any_moment(void)
{
	pthread_t other;

	CHECK(pthread_create(&other, NULL, start_and_end, NULL) == 0);
	for (unsigned i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			alarm(60);
			use();
			_exit(TEST_PASS);
		}
		expect_pass(pid);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	CHECK(pthread_join(other, NULL) == 0);
}

int main(void)
{
	alarm(60);
	check_at_rest(files_now());
	check_within(true);
	check_within(false);
	check_any_moment();
	return TEST_PASS;
}

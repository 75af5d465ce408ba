/* SPDX-License-Identifier: MIT */
/*
 * A child of fork makes workers of its own; a csd that was in flight at the
 * fork is free there; and the parent's calls all run. Also where a called
 * function forks, and in a signal handler that interrupts a call.
 */
#include "support.h"

#include <signal.h>
#include <sys/wait.h>

enum { SECONDS = 60, FORKS = 20, CALLERS = 3, HANDLERS = 20 };

static struct percpu_csd in_flight;
static uint64_t n;

/* All that a child should be able to do. */
static void use_all(void)
{
	uint64_t before = n;

	for (unsigned i = 0; i < nr_cpus; i++)
		CHECK(percpu_call(cpus[i], count_one, &n) == 0);
	CHECK(percpu_call_each(NULL, count_one, &n, 0) == 0);
	CHECK(percpu_call_each(NULL, count_one, &n, PERCPU_CALL_NOWAIT) == 0);
	CHECK(percpu_call_async(cpu_at(0), &in_flight) == 0);
	for (unsigned i = 0; i < nr_cpus; i++)
		CHECK(percpu_call(cpus[i], do_nothing, NULL) == 0);
	CHECK_EQ(n, before + 3 * nr_cpus + 1);
}

static void expect_pass(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static pid_t fork_and_use(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		alarm(SECONDS);
		use_all();
		CHECK(percpu_call_stop() == 0);
		_exit(TEST_PASS);
	}
	return pid;
}

/* One csd runs, one waits behind it. */
static void check_in_flight(void)
{
	struct percpu_csd first;

	percpu_csd_init(&first, hold, NULL);
	percpu_csd_init(&in_flight, count_one, &n);
	CHECK(percpu_call_async(cpu_at(0), &first) == 0);
	wait_for(&running);
	CHECK(percpu_call_async(cpu_at(0), &in_flight) == 0);
	expect_pass(fork_and_use());
	CHECK(percpu_call_async(cpu_at(0), &in_flight) == -EBUSY);
	raise_flag(&go_on);
	CHECK(percpu_call(cpu_at(0), do_nothing, NULL) == 0);
	CHECK_EQ(n, 1);
}

/* The function goes on in both; the child ends in it. */
static void fork_in_function(void *arg)
{
	*(pid_t *)arg = fork_and_use();
}

/* The function returns in the child, and its thread ends, and with it that. */
static void fork_and_return(void *arg)
{
	pid_t pid = fork();

	if (pid == 0)
		alarm(SECONDS);
	else
		*(pid_t *)arg = pid;
}

static void check_function(percpu_fn *fn)
{
	pid_t pid = -1;

	CHECK(percpu_call(cpu_at(0), fn, &pid) == 0);
	expect_pass(pid);
}

static pthread_t caller;
static pid_t forked;
static bool in_child;
static bool calls; /* the handler does, in the child */
static unsigned forks;

static void fork_in_handler(int sig)
{
	(void)sig;
	forked = fork();
	in_child = forked == 0;
	if (!in_child)
		raise_flag(&go_on);
	else
		alarm(SECONDS);
	if (in_child && calls)
		CHECK(percpu_call(cpu_at(0), do_nothing, NULL) == 0);
}

static void interrupt(void *arg)
{
	(void)arg;
	/* Some while it looks, some while it sleeps. */
	if (forks++ % 2)
		usleep(100);
	CHECK(pthread_kill(caller, SIGUSR1) == 0);
	wait_for(&go_on);
}

/* The call that was interrupted is no more, in the child. */
static void check_handler(void)
{
	struct sigaction sa = { .sa_handler = fork_in_handler,
				.sa_flags = SA_RESTART };
	int ret;

	go_on = false;
	caller = pthread_self();
	CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
	ret = percpu_call(cpu_at(0), interrupt, NULL);
	if (in_child) {
		CHECK(ret == -ECANCELED);
		use_all();
		_exit(TEST_PASS);
	}
	CHECK(ret == 0);
	expect_pass(forked);
}

static bool ended;

static void *call_all(void *arg)
{
	uint64_t mine = 0;
	uint64_t made = 0;

	for (; !__atomic_load_n(&ended, __ATOMIC_RELAXED); made++)
		CHECK(percpu_call(cpu_at((unsigned)made), count_one, &mine) ==
		      0);
	CHECK_EQ(mine, made);
	return arg;
}

static void check_busy(void)
{
	pthread_t threads[CALLERS];

	for (unsigned i = 0; i < CALLERS; i++)
		CHECK(pthread_create(&threads[i], NULL, call_all, NULL) == 0);
	for (unsigned i = 0; i < FORKS; i++)
		expect_pass(fork_and_use());
	__atomic_store_n(&ended, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < CALLERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void)
{
	alarm(SECONDS);
	find_cpus();
	check_in_flight();
	check_function(fork_in_function);
	check_function(fork_and_return);
	for (unsigned i = 0; i < HANDLERS; i++) {
		calls = i / 2 % 2;
		check_handler();
	}
	check_busy();
	return TEST_PASS;
}

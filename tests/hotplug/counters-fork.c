/* SPDX-License-Identifier: MIT */
/*
 * A child forked at any instruction of the move of a slot, or at any step of a
 * refresh, has the right sums at once, and refreshes, adds and destroys; so
 * does one in which the refresh that it was forked from goes on.
 *
 * usage: counters-fork [EVERY]    at one of so many instructions
 */
#include "moved.h"

#include <sys/wait.h>

enum { SECONDS = 120 };

static bool goes_on; /* in the child */
static bool is_child;
static unsigned forks;

static void count_on(void)
{
	go_to(retire_left);
	retire_add_all();
	go_to(retire_stays);
	retire_add_all();
	retire_check();
}

/* Nothing is marked any more, and hardly anything claimed for good. */
static void check_slots(void)
{
	unsigned claimed = 0;

	for (unsigned i = 0; i < RETIRE_COUNTERS; i++) {
		CHECK(!retire_is_marked(i));
		retire_check_told(i);
		claimed += retire_slot(i, retire_left)->told % 2 != 0;
	}
	CHECK(claimed <= 1);
}

static void end_child(void)
{
	retire_armed = false;
	retire_check();
	count_on();
	CHECK(percpu_cpus_refresh() == 0);
	check_slots();
	count_on();
	percpu_counter_destroy_many(retire_c, RETIRE_COUNTERS);
	_exit(TEST_PASS);
}

/* False in a child that goes on. */
static bool fork_here(void)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(SECONDS);
		is_child = true;
		retire_armed = false;
		retire_check();
		if (!goes_on)
			end_child();
		return false;
	}
	forks++;
	goes_on = !goes_on;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	return true;
}

static bool stepped_do(void)
{
	return fork_here();
}

static void moved_step(enum retire_step step)
{
	if (step != RETIRE_CLAIM && step != RETIRE_CLAIMED)
		fork_here();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		stepped_every = (unsigned)strtoul(argv[1], NULL, 10);
	retire_start();
	stepped_prepare();
	retire_refresh();
	if (is_child)
		end_child();
	retire_check();
	CHECK(forks > 10 || !retires_counters());
	retire_end();
	return TEST_PASS;
}

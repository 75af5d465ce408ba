/* SPDX-License-Identifier: MIT */
/*
 * A child forked at any instruction by which references are marked, moved and
 * opened again, or at any step of a refresh, has all counts, with a refresh and
 * without; each is killed and released once. Those that it lets count anew do so
 * per CPU, and a refresh there leaves them so. So it is where the refresh that
 * the child was forked from goes on.
 *
 * usage: refs-fork [EVERY]    at one of so many instructions
 */
#include "refs-stepped.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 120, WAYS = 3 };

static unsigned forks;

static void refresh_and_count(void)
{
	CHECK(percpu_cpus_refresh() == 0);
	refs_check();
	for (unsigned i = 0; i < REFS; i++)
		if (refs_again(i)) {
			CHECK(percpu_ref_switch_to_atomic(&refs[i], NULL) == 0);
			CHECK(percpu_ref_switch_to_percpu(&refs[i]) == 0);
			refs_check_mode(i, refs_are_percpu());
		}
	refs_refresh();
	refs_check();
	for (unsigned i = 0; i < REFS; i++)
		if (refs_again(i))
			refs_check_mode(i, refs_are_percpu());
}

static void end_child(bool refresh)
{
	refs_armed = false;
	refs_check();
	if (refresh)
		refresh_and_count();
	refs_end();
	_exit(TEST_PASS);
}

/* False in a child that goes on. */
static bool fork_here(void)
{
	unsigned way = forks++ % WAYS;
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(SECONDS);
		stepped_never = true;
		refs_armed = false;
		if (way > 0)
			end_child(way == 1);
		return false;
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	return true;
}

static bool stepped_do(void)
{
	return fork_here();
}

static void stepped_step(enum refs_step step)
{
	(void)step;
	for (unsigned way = 0; way < WAYS; way++)
		if (!fork_here())
			return;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		stepped_every = (unsigned)strtoul(argv[1], NULL, 10);
	refs_start();
	stepped_prepare();
	refs_refresh();
	if (stepped_never)
		end_child(true);
	CHECK(forks > 30 || !refs_can());
	refs_check();
	refs_check_modes(refs_are_percpu());
	refs_end();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * A child forked at any instruction of a switch to atomic, or back, in which all
 * others whose slots lie near are idle, gives pages of gone CPUs back, and counts
 * are what they were.
 */
#include "refs.h"
#include "stepped.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 120, ONE = REFS_SIGN + 1 };
enum { NEAR = 4096 / sizeof(uint64_t) }; /* a page of them on either side */

static unsigned forks;

static void refs_hook(enum refs_step step)
{
	(void)step;
}

static void child(void)
{
	alarm(SECONDS);
	for (unsigned i = ONE - NEAR; i <= ONE + NEAR; i++)
		if (i != ONE)
			CHECK(percpu_ref_switch_to_atomic(&refs[i], NULL) == 0);
	CHECK(percpu_cpus_refresh() == 0);
	refs_check();
	CHECK_EQ(percpu_ref_val(&refs[ONE]), refs_want[ONE]);
	CHECK(!refs_can() || *refs_slot(ONE, refs_left) == 0 ||
	      percpu__ref_owner(refs[ONE].guarded.handle) != NULL);
	_exit(TEST_PASS);
}

static bool stepped_do(void)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0)
		child();
	forks++;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	return true;
}

/* Both CPUs have counted, one is gone, and nobody knows. */
static void count(void)
{
	go_to(refs_left);
	refs_get_all();
	go_to(refs_stays);
	refs_put_all();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		stepped_every = (unsigned)strtoul(argv[1], NULL, 10);
	refs_start();
	count();
	stepped_prepare();
	stepped_start();
	CHECK(percpu_ref_switch_to_atomic(&refs[ONE], NULL) == 0);
	stepped_stop();
	refs_check();
	stepped_start();
	CHECK(percpu_ref_switch_to_percpu(&refs[ONE]) == 0);
	stepped_stop();
	CHECK(forks > 100 || !refs_can() || stepped_every > 1);
	refs_check();
	refs_end();
	return TEST_PASS;
}

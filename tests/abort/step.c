/* SPDX-License-Identifier: MIT */
/*
 * step.c: an operation that a debugger steps through instruction by instruction
 * ends in a bounded number of steps, in the shared slot, exactly once. Each
 * step leaves the kernel anew, so each one in a section aborts it.
 */
#include "check.h"
#include "object.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_MAX 20000

/* Set by the stepped process when the operation has returned. */
static volatile bool *done;

static void operate(const struct operation *op, struct mode mode)
{
	struct outcome o;

	object_fill();
	*done = false;
	raise(SIGSTOP);
	op->run(object_field());
	*done = true;
	o = object_once(op);
	if (mode.twins)
		CHECK_EQ(o.slot, percpu_nr_slots());
}

static void be_stepped(void)
{
	struct mode mode = object_start();

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		SKIP("ptrace is not allowed here");
	for (const struct operation *const *t = operations; *t != NULL; t++)
		for (const struct operation *op = *t; op->name != NULL; op++)
			operate(op, mode);
	exit(TEST_PASS);
}

/* Wait until @child stops; false if it has ended well. */
static bool stopped(pid_t child)
{
	int status;

	CHECK(waitpid(child, &status, 0) == child);
	if (WIFSIGNALED(status))
		FAIL("the stepped process died of signal %d", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) != TEST_PASS)
		exit(WEXITSTATUS(status));
	return !WIFEXITED(status);
}

/* Step @child through one operation; returns the count of instructions. */
static unsigned step(pid_t child)
{
	unsigned steps = 0;

	while (!*done) {
		CHECK(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0);
		CHECK(stopped(child));
		if (++steps > STEPS_MAX)
			FAIL("no end after %u steps", steps);
	}
	CHECK(ptrace(PTRACE_CONT, child, NULL, NULL) == 0);
	return steps;
}

int main(void)
{
	unsigned operated = 0;
	unsigned most = 0;
	pid_t child;

	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(done != MAP_FAILED);
	child = fork();
	CHECK(child >= 0);
	if (child == 0)
		be_stepped();
	for (; stopped(child); operated++) {
		unsigned steps = step(child);

		most = steps > most ? steps : most;
	}
	printf("%u operations, at most %u steps each\n", operated, most);
	CHECK(operated != 0);
	return TEST_PASS;
}

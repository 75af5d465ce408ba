/* SPDX-License-Identifier: MIT */
/*
 * B05: a filter that comes after libc has registered the thread, and answers
 * the rseq call with an error of any kind, takes nothing away: the library
 * finds that the kernel acts on the registration, and adds are exact. Where
 * libc has not registered, threads use atomics, and the reason says why.
 */
#include "count.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool refuse_rseq(unsigned error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rseq, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { 4, filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Whether the kernel says that this thread is registered with libc's area. */
static bool registered_by_libc(void)
{
	const char *why;

	return percpu_backend(&why) == PERCPU_MODE_RSEQ &&
	       strncmp(why, "libc registers", 14) == 0;
}

static void body(unsigned error, bool registered)
{
	uint64_t PERCPU *h;
	const char *why;

	if (!refuse_rseq(error))
		SKIP("no filters here");
	h = percpu_new(uint64_t);
	CHECK(h != NULL);
	CHECK_EQ(percpu_backend(&why) == PERCPU_MODE_RSEQ, registered);
	if (!registered)
		CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_ATOMIC);
	if (!registered && error == EPERM)
		CHECK(strstr(why, "seccomp") != NULL);
	for (unsigned i = 0; i < 10000; i++)
		percpu_inc(h);
	CHECK_EQ(percpu_sum(h), 10000);
}

/* What @run does in a process of its own: its exit status. */
static int apart(void (*run)(unsigned, bool), unsigned error, bool registered)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		run(error, registered);
		exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status))
		FAIL("error %u: killed by signal %d", error, WTERMSIG(status));
	return WEXITSTATUS(status);
}

static void ask(unsigned error, bool registered)
{
	(void)error;
	(void)registered;
	exit(registered_by_libc() ? 1 : 0);
}

int main(void)
{
	static const unsigned errors[] = { EPERM, ENOSYS, EINVAL, EACCES };
	bool registered = apart(ask, 0, false) == 1;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		int end = apart(body, errors[i], registered);

		if (end != TEST_PASS)
			return end;
	}
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/* The agreement of headers and library: each of its terms alone refuses. */
#include "check.h"

#include <percpu/percpu.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool refused(unsigned abi, unsigned line, size_t size)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		close(STDERR_FILENO);
		percpu__abi_check(abi, line, size);
		_exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

int main(void)
{
	size_t size = sizeof(struct percpu__rt);

	CHECK(!refused(PERCPU__ABI, PERCPU_LINE, size));
	CHECK(refused(PERCPU__ABI + 1, PERCPU_LINE, size));
	CHECK(refused(PERCPU__ABI - 1, PERCPU_LINE, size));
	CHECK(refused(PERCPU__ABI, PERCPU_LINE * 2, size));
	CHECK(refused(PERCPU__ABI, PERCPU_LINE, size + 128));
	return TEST_PASS;
}

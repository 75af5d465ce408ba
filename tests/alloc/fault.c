/* SPDX-License-Identifier: MIT */
/* A handle that is dereferenced, for reading or writing, faults at once. */
#include "slots.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAULTED 42

static uintptr_t expected;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	_exit((uintptr_t)info->si_addr == expected ? FAULTED : TEST_FAIL);
}

static bool faults(char PERCPU *h, bool write)
{
	volatile char *p = (volatile char *)(uintptr_t)h;
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO };
	int status;
	pid_t child = fork();

	if (child == 0) {
		expected = (uintptr_t)p;
		sigaction(SIGSEGV, &action, NULL);
		if (write)
			*p = 1;
		else
			(void)*p;
		_exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) && WEXITSTATUS(status) == FAULTED;
}

int main(void)
{
	size_t max = percpu_max_size();
	char PERCPU *small = must_alloc(8, 8);
	char PERCPU *large = must_alloc(max, 1);

	CHECK(faults(small, false) && faults(small, true));
	CHECK(faults(small + 7, false) && faults(small + 7, true));
	CHECK(faults(large, false) && faults(large, true));
	CHECK(faults(large + max - 1, false) && faults(large + max - 1, true));
	return TEST_PASS;
}

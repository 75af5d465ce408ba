/* SPDX-License-Identifier: MIT */
/*
 * misuse.c: a csd that is not at a multiple of 32 bytes, as malloc() gives
 * them, is named, and ends the program; with PERCPU_MISUSE=warn nothing is
 * called, and the queue is as it was.
 */
#include "support.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static _Alignas(64) char room[2 * sizeof(struct percpu_csd)];

/* Calls with a csd at @room + @off; returns whether that is refused. */
static bool refused(size_t off)
{
	struct percpu_csd csd;
	uint64_t n = 0;
	int err;

	percpu_csd_init(&csd, count_one, &n);
	memcpy(room + off, &csd, sizeof(csd));
	err = percpu_call_async(cpu_at(0), (void *)(room + off));
	/* Behind it in the queue. */
	CHECK(percpu_call(cpu_at(0), count_one, &n) == 0);
	CHECK_EQ(n, err == 0 ? 2 : 1);
	return err == -EINVAL;
}

static int status_in_child(size_t off, const char *warn)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(10);
		if (warn != NULL)
			setenv("PERCPU_MISUSE", warn, 1);
		_exit(refused(off) ? TEST_PASS : TEST_FAIL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

int main(void)
{
	static const size_t wrong[] = { 4, 8, 16, 24, 28 };

	find_cpus();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int status = status_in_child(wrong[i], NULL);

		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
		status = status_in_child(wrong[i], "warn");
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	}
	CHECK(!refused(32));
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * A called function that ends its thread, which is the worker's, is told of,
 * and the program aborted: nothing would run there any more.
 */
#include "support.h"

#include <signal.h>

enum { SECONDS = 60 };

static int pipe_ends[2];

static void on_abort(int sig)
{
	char text[1024];
	ssize_t len = read(pipe_ends[0], text, sizeof(text) - 1);

	(void)sig;
	text[len > 0 ? len : 0] = '\0';
	_exit(strstr(text, "has ended the thread") != NULL ? TEST_PASS :
							     TEST_FAIL);
}

static void end_thread(void *arg)
{
	pthread_exit(arg);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_abort };

	alarm(SECONDS);
	find_cpus();
	CHECK(pipe(pipe_ends) == 0);
	CHECK(sigaction(SIGABRT, &sa, NULL) == 0);
	CHECK(dup2(pipe_ends[1], STDERR_FILENO) >= 0);
	percpu_call(cpu_at(0), end_thread, NULL);
	return TEST_FAIL;
}

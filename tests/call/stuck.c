/* SPDX-License-Identifier: MIT */
/*
 * Conformance 91: a call whose worker is stuck is told of once, and ends when
 * the worker goes on; one that is not stuck is never told of.
 */
#include "support.h"

enum { SECONDS = 60, LIMIT_MS = 100 };

static int pipe_ends[2];

static size_t told(char *text, size_t size)
{
	ssize_t len = read(pipe_ends[0], text, size - 1);

	text[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

/* Ends when it was told of; whatever the clocks of the machine say. */
static void stick(void *arg)
{
	char *text = arg;

	CHECK(told(text, 1024) > 0);
}

static void count_lines(void *arg)
{
	char text[1024];

	CHECK(write(pipe_ends[1], ".", 1) == 1);
	*(bool *)arg = told(text, sizeof(text)) == 1 && text[0] == '.';
}

int main(void)
{
	int saved = dup(STDERR_FILENO);
	char text[1024] = "";
	char limit[16];
	bool silent = false;

	alarm(SECONDS);
	snprintf(limit, sizeof(limit), "%d", LIMIT_MS);
	CHECK(setenv("PERCPU_CALL_TIMEOUT", limit, 1) == 0);
	CHECK(pipe(pipe_ends) == 0);
	find_cpus();
	CHECK(dup2(pipe_ends[1], STDERR_FILENO) >= 0);
	CHECK(percpu_call(cpu_at(0), stick, text) == 0);
	CHECK(percpu_call(cpu_at(0), count_lines, &silent) == 0);
	CHECK(dup2(saved, STDERR_FILENO) >= 0);
	CHECK(silent);
	CHECK(strstr(text, "libpercpu: a call from CPU") == text);
	CHECK(strstr(text, "has waited 100 ms for CPU") != NULL);
	return TEST_PASS;
}

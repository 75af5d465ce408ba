/* SPDX-License-Identifier: MIT */
/*
 * b22-underflow.c: a get that is missing, so that one CPU has put more than was
 * taken, is told by the kill; with PERCPU_MISUSE=warn release runs, once.
 */
#include "support.h"

#include <sys/wait.h>

static struct percpu_ref ref;
static unsigned released;

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void *puts_twice(void *arg)
{
	ref_move(1);
	percpu_ref_put(&ref);
	percpu_ref_put(&ref);
	return arg;
}

/* Output goes to @fd. */
static void child(int fd, const char *mode)
{
	pthread_t thread;

	dup2(fd, STDERR_FILENO);
	setenv("PERCPU_MISUSE", mode, 1);
	CHECK_EQ(percpu_ref_init(&ref, release, 0), 0);
	ref_move(0);
	percpu_ref_get(&ref);
	CHECK(pthread_create(&thread, NULL, puts_twice, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	percpu_ref_put(&ref);
	percpu_ref_kill(&ref);
	CHECK_EQ(released, 1);
	CHECK(percpu_ref_is_zero(&ref));
	_exit(TEST_PASS);
}

static int run(const char *mode, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;
	int fd[2];
	int status;
	pid_t pid;

	CHECK(pipe(fd) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		child(fd[1], mode);
	close(fd[1]);
	while ((n = read(fd[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = 0;
	close(fd[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

int main(void)
{
	char text[2000];
	int status = run("abort", text, sizeof(text));

	if (!WIFSIGNALED(status) || strstr(text, "put ") == NULL)
		FAIL("it ends with %#x: %s", status, text);
	status = run("warn", text, sizeof(text));
	if (status != 0 || strstr(text, "put ") == NULL)
		FAIL("it goes on to %#x: %s", status, text);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_APART_H
#define TESTS_ALLOC_APART_H
/*
 * apart.h: a mistake made in a process of its own, whose end and last words are
 * looked at.
 */
#include "slots.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char apart_said[1024]; /* on standard error, cut off */

/* Let @fn(@arg) run apart; the status that wait() gives. */
static inline int apart(void (*fn)(void *arg), void *arg)
{
	int fd[2];
	int status;
	size_t len = 0;
	ssize_t n;
	pid_t child;

	CHECK(pipe(fd) == 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		dup2(fd[1], STDERR_FILENO);
		fn(arg);
		_exit(TEST_PASS);
	}
	close(fd[1]);
	while ((n = read(fd[0], apart_said + len,
			 sizeof(apart_said) - 1 - len)) > 0)
		len += (size_t)n;
	apart_said[len] = '\0';
	close(fd[0]);
	CHECK(waitpid(child, &status, 0) == child);
	return status;
}

static inline void check_said(const void *h, const char *what)
{
	char name[32];

	snprintf(name, sizeof(name), "(%p)", h);
	if (strstr(apart_said, name) == NULL ||
	    strstr(apart_said, what) == NULL)
		FAIL("'%s' does not name %s and '%s'", apart_said, name, what);
}

/*
 * fn(arg) misuses @h: it aborts and says @what, and goes on where the user has
 * asked for that.
 */
static inline void check_misuse(void (*fn)(void *arg), void *arg, const void *h,
				const char *what)
{
	int status;

	unsetenv("PERCPU_MISUSE");
	status = apart(fn, arg);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		FAIL("(%p), '%s' expected: status %#x", h, what, status);
	check_said(h, what);
	setenv("PERCPU_MISUSE", "warn", 1);
	status = apart(fn, arg);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != TEST_PASS)
		FAIL("(%p), '%s' and a warning expected: status %#x", h, what,
		     status);
	check_said(h, what);
	unsetenv("PERCPU_MISUSE");
}

/* percpu_free(@h) is a misuse. */
static inline void apart_free(void *h)
{
	percpu_free(h);
}

static inline void check_bad_free(void *h, const char *what)
{
	check_misuse(apart_free, h, h, what);
	CHECK(strstr(apart_said, "nothing freed") != NULL);
}

#endif

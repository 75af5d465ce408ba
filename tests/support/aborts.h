/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_ABORTS_H
#define TESTS_SUPPORT_ABORTS_H
/*
 * aborts.h: a test that passes when the library aborts it and says why.
 */
#include "check.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static int aborts_said[2];
static const char *aborts_text;

static inline void aborts_on(int sig)
{
	char text[1024];
	ssize_t len = read(aborts_said[0], text, sizeof(text) - 1);

	(void)sig;
	text[len > 0 ? len : 0] = '\0';
	_exit(strstr(text, aborts_text) != NULL ? TEST_PASS : TEST_FAIL);
}

/* From here on abort() ends the test, which passes if @text was said. */
static inline void aborts_expect(const char *text)
{
	struct sigaction sa = { .sa_handler = aborts_on };

	aborts_text = text;
	CHECK(pipe(aborts_said) == 0);
	CHECK(sigaction(SIGABRT, &sa, NULL) == 0);
	CHECK(dup2(aborts_said[1], STDERR_FILENO) >= 0);
}

#endif

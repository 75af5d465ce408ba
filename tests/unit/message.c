/* SPDX-License-Identifier: MIT */
/*
 * A message is one line after "libpercpu: ", cut at 500 bytes however long its
 * parts are, written whole and at once; built with the address sanitizer.
 */
#include "message.h"
#include "check.h"
#include "os.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "libpercpu: "

static char out[4096];
static size_t out_len;
static unsigned calls;

void percpu__os_complain(const char *text, size_t len)
{
	CHECK(out_len + len < sizeof(out));
	memcpy(out + out_len, text, len);
	out_len += len;
	calls++;
}

static void forget(void)
{
	memset(out, 0, sizeof(out));
	out_len = 0;
	calls = 0;
}

static void check_length(size_t n)
{
	char *text = malloc(n + 1);
	size_t room = 500 - 1;
	size_t kept = n < room ? n : room;

	memset(text, 'a', n);
	text[n] = '\0';
	forget();
	percpu__message("%s", text);
	CHECK_EQ(calls, 1);
	CHECK_EQ(out_len, strlen(PREFIX) + kept + 1);
	CHECK(memcmp(out, PREFIX, strlen(PREFIX)) == 0);
	CHECK(memcmp(out + strlen(PREFIX), text, kept) == 0);
	CHECK_EQ(out[out_len - 1], '\n');
	CHECK(memchr(out, '\0', out_len) == NULL);
	free(text);
}

static void check_abort(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		fclose(stderr);
		percpu__message_abort("%d", 1);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	for (size_t n = 0; n < 600; n++)
		check_length(n);
	check_length(2000);
	forget();
	percpu__message("%u of %s", 3u, "four");
	CHECK(strcmp(out, PREFIX "3 of four\n") == 0);
	check_abort();
	return TEST_PASS;
}

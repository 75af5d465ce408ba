/* SPDX-License-Identifier: MIT */
/*
 * refuse.c: run a program to which system calls are refused.
 *
 * usage: refuse CALL=ERROR... -- PROGRAM ARGUMENT...
 *   CALL   rseq, membarrier, socket or move_pages
 *   ERROR  EPERM, ENOSYS, EINVAL; SUCCESS: the call does nothing and says 0
 */
#include "refuse.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct word {
	const char *text;
	unsigned value;
};

static const struct word calls[] = {
	{ "rseq", __NR_rseq },
	{ "membarrier", __NR_membarrier },
	{ "socket", __NR_socket },
	{ "move_pages", __NR_move_pages },
	{ NULL, 0 },
};

static const struct word errors[] = {
	{ "EPERM", EPERM }, { "ENOSYS", ENOSYS }, { "EINVAL", EINVAL },
	{ "SUCCESS", 0 },   { NULL, 0 },
};

static unsigned value_of(const struct word *words, const char *text, size_t len)
{
	for (; words->text != NULL; words++)
		if (strlen(words->text) == len &&
		    strncmp(words->text, text, len) == 0)
			return words->value;
	FAIL("'%s' is not understood", text);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		size_t len = strcspn(argv[i], "=");

		CHECK(argv[i][len] == '=');
		refuse(value_of(calls, argv[i], len),
		       value_of(errors, argv[i] + len + 1,
				strlen(argv[i] + len + 1)));
	}
	CHECK(i + 1 < argc);
	execv(argv[i + 1], argv + i + 1);
	FAIL("%s: %s", argv[i + 1], strerror(errno));
}

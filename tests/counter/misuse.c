/* SPDX-License-Identifier: MIT */
/*
 * misuse.c: to destroy one counter of those of init_many is said, and ends the
 * program; with PERCPU_MISUSE=warn nothing happens to it. With -DTREE, of trees.
 */
#include "check.h"
#include "of.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef TREE
#define INIT(many) percpu_counter_tree_init_many(many, 7, 32, 3)
#define NAME "percpu_counter_tree_destroy_many()"
#else
#define INIT(many) percpu_counter_init_many(many, 7, 3)
#define NAME "percpu_counter_destroy_many()"
#endif

static COUNTER many[3];

static void check_alive(void)
{
	for (unsigned i = 0; i < 3; i++) {
		OF(add)(&many[i], i);
		CHECK_EQ(OF(sum)(&many[i]), 7 + i);
	}
	OF(destroy_many)(many, 3);
	_exit(TEST_PASS);
}

/* What the child says goes to @text; its status. */
static int run(unsigned which, bool warn, char *text, size_t room)
{
	int status;
	int said[2];
	pid_t pid;

	CHECK(pipe(said) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		dup2(said[1], 2);
		if (warn)
			setenv("PERCPU_MISUSE", "warn", 1);
		OF(destroy)(&many[which]);
		check_alive();
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(read(said[0], text, room) > 0);
	close(said[0]);
	close(said[1]);
	return status;
}

int main(void)
{
	CHECK(INIT(many) == 0);
	for (unsigned i = 0; i < 3; i++) {
		char aborts[500] = "";
		char warns[500] = "";
		int status = run(i, false, aborts, sizeof(aborts) - 1);

		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
		CHECK(strstr(aborts, NAME));
		CHECK_EQ(run(i, true, warns, sizeof(warns) - 1), 0);
		CHECK(strstr(warns, NAME));
	}
	OF(destroy_many)(many, 3);
	return TEST_PASS;
}

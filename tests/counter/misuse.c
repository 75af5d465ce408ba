/* SPDX-License-Identifier: MIT */
/*
 * misuse.c: to destroy one counter of those of init_many is said, and ends the
 * program, and so is destroy_many of fewer, more or others; with
 * PERCPU_MISUSE=warn nothing happens to them. With -DTREE, of trees.
 */
#include "check.h"
#include "of.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef TREE
#define INIT(c, n) percpu_counter_tree_init_many(c, 7, 32, n)
#define NAME "percpu_counter_tree_destroy_many("
#else
#define INIT(c, n) percpu_counter_init_many(c, 7, n)
#define NAME "percpu_counter_destroy_many("
#endif

static COUNTER all[5]; /* alone, three of one object, alone */
static COUNTER *const many = all + 1;

static const struct {
	int from;
	size_t n;
} wrong[] = { { 0, 2 },	 { 0, 4 }, { 1, 2 }, { 1, 1 },
	      { -1, 4 }, { 2, 1 }, { 2, 2 } };

#define ONE 3u /* by destroy */
#define WAYS (ONE + sizeof(wrong) / sizeof(*wrong))

static void mistake(unsigned which)
{
	if (which < ONE)
		OF(destroy)(&many[which]);
	else
		OF(destroy_many)
	(many + wrong[which - ONE].from, wrong[which - ONE].n);
}

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
		mistake(which);
		check_alive();
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	close(said[1]);
	CHECK(read(said[0], text, room) > 0);
	close(said[0]);
	return status;
}

int main(void)
{
	CHECK(INIT(many, 3) == 0);
	CHECK(INIT(all, 1) == 0 && INIT(all + 4, 1) == 0);
	for (unsigned i = 0; i < WAYS; i++) {
		char aborts[500] = "";
		char warns[500] = "";
		int status = run(i, false, aborts, sizeof(aborts) - 1);

		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
		CHECK(strstr(aborts, NAME));
		CHECK_EQ(run(i, true, warns, sizeof(warns) - 1), 0);
		CHECK(strstr(warns, NAME));
	}
	OF(destroy_many)(many, 3);
	OF(destroy_many)(all, 5);
	OF(destroy_many)(all, 5);
	return TEST_PASS;
}

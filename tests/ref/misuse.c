/* SPDX-License-Identifier: MIT */
/*
 * misuse.c: a program's mistakes with references are named, and end it; with
 * PERCPU_MISUSE=warn it goes on, and release runs once all the same.
 */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static struct percpu_ref ref;
static unsigned flags;
static unsigned released;

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void killed_twice(void)
{
	percpu_ref_get(&ref);
	percpu_ref_kill(&ref);
	percpu_ref_kill(&ref);
	CHECK_EQ(percpu_ref_val(&ref), 1);
	percpu_ref_put(&ref);
}

static void killed_twice_at_once(void)
{
	struct percpu_ref *twice[] = { &ref, &ref };

	percpu_ref_kill_many(twice, 2);
}

static void killed_again_with_others(void)
{
	struct percpu_ref *one = &ref;

	percpu_ref_get(&ref);
	percpu_ref_kill(&ref);
	percpu_ref_kill_many(&one, 1);
	percpu_ref_put(&ref);
}

/* The first of these calls release where it counts in one place. */
static void put_below_zero(void)
{
	percpu_ref_put(&ref);
	percpu_ref_put(&ref);
	percpu_ref_kill(&ref);
}

static void put_after_release(void)
{
	percpu_ref_kill(&ref);
	percpu_ref_put(&ref);
}

static void got_after_release(void)
{
	percpu_ref_kill(&ref);
	percpu_ref_get(&ref);
	CHECK_EQ(percpu_ref_val(&ref), 0);
}

static void used_zeros(void)
{
	static struct percpu_ref zeros;

	percpu__ref_get(&zeros, 1);
	CHECK(!percpu__ref_tryget(&zeros, 1));
	CHECK(!percpu__ref_tryget_live(&zeros));
	percpu__ref_put(&zeros, 1);
	percpu_ref_kill(&ref);
}

static void killed_zeros(void)
{
	static struct percpu_ref zeros;
	struct percpu_ref *both[] = { &zeros, &ref };

	CHECK_EQ(percpu_ref_exit(&zeros), 0);
	percpu_ref_kill_many(both, 2);
	percpu_ref_kill(&zeros);
}

static void switched_zeros(void)
{
	static struct percpu_ref zeros;

	CHECK_EQ(percpu_ref_switch_to_atomic(&zeros, NULL), -EINVAL);
	percpu_ref_kill(&ref);
}

static void exit_before_release(void)
{
	percpu_ref_get(&ref);
	percpu_ref_kill(&ref);
	CHECK_EQ(percpu_ref_exit(&ref), -EBUSY);
	CHECK_EQ(percpu_ref_val(&ref), 1);
	percpu_ref_put(&ref);
}

static void exit_in_use(void)
{
	percpu_ref_get(&ref);
	CHECK_EQ(percpu_ref_exit(&ref), -EBUSY);
	percpu_ref_put(&ref);
	percpu_ref_kill(&ref);
}

static const struct {
	void (*make)(void);
	const char *says;
} mistakes[] = {
	{ killed_twice, "killed twice" },
	{ killed_twice_at_once, "killed twice" },
	{ killed_again_with_others, "killed twice" },
	{ put_below_zero, "put " },
	{ put_after_release, "below zero" },
	{ got_after_release, "reached zero" },
	{ used_zeros, "never made" },
	{ killed_zeros, "never made" },
	{ switched_zeros, "never made" },
	{ exit_before_release, "not released" },
	{ exit_in_use, "not released" },
};

/* Make mistake @i in a child, whose messages go to @text; how it ended. */
static int make(size_t i, const char *mode, char *text, size_t size)
{
	int fd[2];
	ssize_t n;
	size_t len = 0;
	int status;
	pid_t pid;

	CHECK(pipe(fd) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		dup2(fd[1], STDERR_FILENO);
		close(fd[0]);
		if (mode != NULL)
			setenv("PERCPU_MISUSE", mode, 1);
		else
			unsetenv("PERCPU_MISUSE");
		CHECK_EQ(percpu_ref_init(&ref, release, flags), 0);
		mistakes[i].make();
		CHECK((ref_word(&ref) & PERCPU__REF_KILLING) == 0);
		CHECK_EQ(released, 1);
		CHECK(percpu_ref_is_zero(&ref));
		CHECK_EQ(percpu_ref_exit(&ref), 0);
		_exit(TEST_PASS);
	}
	close(fd[1]);
	while ((n = read(fd[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = 0;
	close(fd[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

int main(int argc, char **argv)
{
	char text[2000];

	flags = ref_flags(argc, argv);
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		int status = make(i, NULL, text, sizeof(text));

		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT ||
		    strstr(text, mistakes[i].says) == NULL)
			FAIL("mistake %zu ends with %#x: %s", i, status, text);
		status = make(i, "warn", text, sizeof(text));
		if (status != 0 || strstr(text, mistakes[i].says) == NULL)
			FAIL("mistake %zu goes on to %#x: %s", i, status, text);
	}
	return TEST_PASS;
}

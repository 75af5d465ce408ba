/* SPDX-License-Identifier: MIT */
/*
 * A variable that the program and plug-ins define under one name is one, and
 * stays until the last of them goes, whoever made it; one of another size is
 * refused.
 *
 * usage: namesake PLUGIN PLUGIN WIDER
 */
#include "check.h"
#include "live.h"

#include <percpu/percpu.h>

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

PERCPU_DEFINE(uint64_t, of_program);

static void *early;
static void PERCPU *of_early;

static void *load(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (plugin == NULL)
		FAIL("%s", dlerror());
	return plugin;
}

static void PERCPU *handle_in(void *plugin)
{
	void PERCPU *(*fn)(void);

	*(void **)&fn = dlsym(plugin, "namesake_of_program");
	CHECK(fn != NULL);
	return fn();
}

static uint64_t add_in(void *plugin)
{
	uint64_t (*fn)(void);

	*(void **)&fn = dlsym(plugin, "namesake_add");
	CHECK(fn != NULL);
	return fn();
}

/* Before this program's variable has its own constructor. */
static void __attribute__((constructor(101))) load_early(int argc, char **argv)
{
	CHECK(argc == 4);
	early = load(argv[1]);
	of_early = handle_in(early);
	CHECK(of_early != NULL);
}

/* The plug-in that made it goes. */
static void check_program(void)
{
	CHECK(percpu_var(of_program) == of_early);
	percpu_inc(percpu_var(of_program));
	CHECK(dlclose(early) == 0);
	CHECK(percpu_var(of_program) == of_early);
	CHECK_EQ(percpu_sum(percpu_var(of_program)), 1);
}

static void check_plugins(const char *one, const char *other)
{
	size_t before = live();
	void *first = load(one);
	void *second = load(other);

	CHECK_EQ(live(), before + 1);
	CHECK_EQ(add_in(first), 1);
	CHECK_EQ(add_in(second), 2);
	CHECK(dlclose(first) == 0);
	CHECK_EQ(add_in(second), 3);
	CHECK(dlclose(second) == 0);
	CHECK_EQ(live(), before);
	CHECK_EQ(percpu_sum(percpu_var(of_program)), 1);
}

static void check_wider(const char *wider)
{
	char text[1000] = "";
	int status;
	int pipe_of[2];
	pid_t pid;

	CHECK(pipe(pipe_of) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		dup2(pipe_of[1], 2);
		load(wider);
		_exit(TEST_FAIL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	CHECK(read(pipe_of[0], text, sizeof(text) - 1) > 0);
	CHECK(strstr(text, "of_program") && strstr(text, "8 and with 16"));
}

int main(int argc, char **argv)
{
	CHECK(argc == 4);
	check_program();
	check_plugins(argv[1], argv[2]);
	check_plugins(argv[2], argv[1]);
	check_wider(argv[3]);
	return TEST_PASS;
}

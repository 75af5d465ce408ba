/* SPDX-License-Identifier: MIT */
/*
 * A called function that unloads the library which runs it is told of, and the
 * program aborted: it has nowhere to return to.
 *
 * usage: unload-within PLUGIN
 */
#include "check.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 60 };

static int pipe_ends[2];

static void on_abort(int sig)
{
	char text[1024];
	ssize_t len = read(pipe_ends[0], text, sizeof(text) - 1);

	(void)sig;
	text[len > 0 ? len : 0] = '\0';
	_exit(strstr(text, "has unloaded the library") != NULL ? TEST_PASS :
								 TEST_FAIL);
}

static void unload(void *arg)
{
	dlclose(arg);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_abort };
	int (*run)(void (*fn)(void *), void *arg);
	void *plugin;

	alarm(SECONDS);
	CHECK(argc == 2);
	plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (plugin == NULL)
		FAIL("%s", dlerror());
	*(void **)&run = dlsym(plugin, "plugin_run");
	CHECK(run != NULL);
	CHECK(pipe(pipe_ends) == 0);
	CHECK(sigaction(SIGABRT, &sa, NULL) == 0);
	CHECK(dup2(pipe_ends[1], STDERR_FILENO) >= 0);
	run(unload, plugin);
	return TEST_FAIL;
}

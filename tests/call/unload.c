/* SPDX-License-Identifier: MIT */
/*
 * dlclose of all that uses the library ends its threads, and leaves no thread,
 * descriptor, mapping, key or handler behind; the next time it begins anew.
 *
 * usage: unload PLUGIN ROUNDS
 */
#include "check.h"
#include "keys.h"
#include "threads.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60 };

static unsigned mappings_now(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned n = 0;
	int c;

	CHECK(maps != NULL);
	while ((c = getc(maps)) != EOF)
		n += c == '\n';
	CHECK(fclose(maps) == 0);
	return n;
}

static void run_round(const char *path)
{
	int (*call)(void);
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (plugin == NULL)
		FAIL("%s", dlerror());
	*(void **)&call = dlsym(plugin, "plugin_call");
	CHECK(call != NULL && call() > 0);
	CHECK(dlclose(plugin) == 0);
	CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
}

int main(int argc, char **argv)
{
	unsigned threads = threads_now();
	unsigned files = files_now();
	unsigned keys = keys_left();
	unsigned mappings = 0;
	int status;
	pid_t pid;

	alarm(SECONDS);
	CHECK(argc == 3);
	for (int i = 0; i < atoi(argv[2]); i++) {
		run_round(argv[1]);
		wait_for_threads(threads);
		CHECK_EQ(files_now(), files);
		CHECK_EQ(keys_left(), keys);
		/* libc keeps some stacks of threads that have ended. */
		if (i == 4)
			mappings = mappings_now();
	}
	CHECK(mappings_now() <= mappings + 4);
	pid = fork();
	if (pid == 0)
		_exit(TEST_PASS);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	return TEST_PASS;
}

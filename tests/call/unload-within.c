/* SPDX-License-Identifier: MIT */
/*
 * A called function that unloads the library which runs it is told of, and the
 * program aborted: it has nowhere to return to.
 *
 * usage: unload-within PLUGIN
 */
#include "aborts.h"
#include "check.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 60 };

static void unload(void *arg)
{
	dlclose(arg);
}

int main(int argc, char **argv)
{
	int (*run)(void (*fn)(void *), void *arg);
	void *plugin;

	alarm(SECONDS);
	CHECK(argc == 2);
	plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (plugin == NULL)
		FAIL("%s", dlerror());
	*(void **)&run = dlsym(plugin, "plugin_run");
	CHECK(run != NULL);
	aborts_expect("has unloaded the library");
	run(unload, plugin);
	return TEST_FAIL;
}

/* SPDX-License-Identifier: MIT */
/*
 * A plug-in that dlmopen() loads into a namespace of its own, with the library
 * and libc once more: nothing there is told when the program exits, and so its
 * variables stay, for who still uses them; closing it harms nobody.
 *
 * usage: namespace PLUGIN
 */
#include "check.h"

#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>

#ifdef LM_ID_NEWLM

enum { ROUNDS = 3, ADDS = 20 };

static int (*fresh)(void);
static uint64_t (*add)(unsigned n);

static void *load(const char *path)
{
	void *plugin = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);

	if (plugin == NULL)
		FAIL("%s", dlerror());
	*(void **)&fresh = dlsym(plugin, "plugin_fresh");
	*(void **)&add = dlsym(plugin, "plugin_add");
	CHECK(fresh != NULL && add != NULL && fresh());
	CHECK_EQ(add(ADDS), ADDS);
	return plugin;
}

/* After the plug-in's, since other namespaces come first. */
static void __attribute__((destructor)) last(void)
{
	/* Its own destructor has added one. */
	if (add != NULL && add(ADDS) != 2 * ADDS + 1)
		_exit(TEST_FAIL);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	for (unsigned i = 0; i < ROUNDS; i++)
		CHECK(dlclose(load(argv[1])) == 0);
	load(argv[1]);
	return TEST_PASS;
}

#else

int main(void)
{
	SKIP("libc has no namespaces");
}

#endif

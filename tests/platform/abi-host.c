/* SPDX-License-Identifier: MIT */
/* Loads a plug-in, argv[1], whose constructor decides. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (plugin == NULL) {
		puts(dlerror());
		return 2;
	}
	puts("main goes on after dlopen");
	return 0;
}

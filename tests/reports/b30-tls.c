/* SPDX-License-Identifier: MIT */
/*
 * b30-tls.c: the library loads into a program whose static TLS is used up.
 *
 * Report: jemalloc 1237 and 937, mimalloc 147. A loadable library with
 * thread-local variables of the initial-exec model could not be loaded.
 *
 * Neither could be a plug-in with operations inlined, and variables, of its own.
 *
 * usage: b30-tls LIBRARY HOG PLUGIN   HOG: an object with some static TLS
 */
#include "check.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOGS_MAX = 4000 };

static char dir[] = "/tmp/percpu-b30-XXXXXX";

static void copy(const char *from, const char *to)
{
	char buf[65536];
	ssize_t n;
	int in = open(from, O_RDONLY);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	CHECK(in >= 0 && out >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		CHECK(write(out, buf, (size_t)n) == n);
	close(in);
	close(out);
}

/* Load copies of @hog until no more static TLS is left for one. */
static void use_up_tls(const char *hog)
{
	char path[64];
	bool room = true;

	CHECK(mkdtemp(dir) != NULL);
	for (unsigned i = 0; room; i++) {
		CHECK(i < HOGS_MAX);
		snprintf(path, sizeof(path), "%s/%u.so", dir, i);
		copy(hog, path);
		room = dlopen(path, RTLD_NOW) != NULL;
		unlink(path);
	}
	CHECK(strstr(dlerror(), "TLS") != NULL);
	rmdir(dir);
}

static int check_segments(struct dl_phdr_info *info, size_t size, void *found)
{
	(void)size;
	if (strstr(info->dlpi_name, "libpercpu") == NULL)
		return 0;
	*(bool *)found = true;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		CHECK(info->dlpi_phdr[i].p_type != PT_TLS);
	return 0;
}

static void check_flags(const char *library)
{
	void *lib = dlopen(library, RTLD_NOW);
	struct link_map *map;

	CHECK(dlinfo(lib, RTLD_DI_LINKMAP, &map) == 0);
	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_FLAGS)
			CHECK((d->d_un.d_val & DF_STATIC_TLS) == 0);
	dlclose(lib);
}

static void check_plugin(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW);
	unsigned long (*add)(unsigned);

	if (plugin == NULL)
		FAIL("%s", dlerror());
	*(void **)&add = dlsym(plugin, "plugin_add");
	CHECK(add != NULL);
	CHECK_EQ(add(1000), 1000);
}

int main(int argc, char **argv)
{
	bool found = false;

	CHECK(argc == 4);
	use_up_tls(argv[2]);
	if (dlopen(argv[1], RTLD_NOW) == NULL)
		FAIL("%s", dlerror());
	dl_iterate_phdr(check_segments, &found);
	CHECK(found);
	check_flags(argv[1]);
	check_plugin(argv[3]);
	return TEST_PASS;
}

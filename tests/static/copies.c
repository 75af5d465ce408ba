/* SPDX-License-Identifier: MIT */
/*
 * A program and its plug-in have one library where static.h says so, and share
 * all; where each has its own, each works by itself, and the other's handles
 * are named when they are freed.
 *
 *   copies PLUGIN one|two
 */
#include "apart.h"

#include <percpu/percpu.h>

#include <dlfcn.h>

static void *plugin;

static void *find(const char *name)
{
	void *f = dlsym(plugin, name);

	if (f == NULL)
		FAIL("%s: %s", name, dlerror());
	return f;
}

static void release(struct percpu_ref *r)
{
	percpu_ref_exit(r);
}

static void give_back(void *h)
{
	void (*fn)(uint64_t PERCPU *);

	*(void **)&fn = find("copies_free");
	fn(h);
}

static void share_all(uint64_t PERCPU *h)
{
	uint64_t (*fn)(uint64_t PERCPU *, struct percpu_counter *,
		       struct percpu_ref *);
	struct percpu_counter c;
	struct percpu_ref r;

	*(void **)&fn = find("copies_use");
	CHECK(percpu_counter_init(&c, 4) == 0);
	CHECK(percpu_ref_init(&r, release, 0) == 0);
	CHECK_EQ(fn(h, &c, &r), 2 + 5);
	percpu_ref_kill(&r);
	percpu_counter_destroy(&c);
	give_back(h);
}

static void are_apart(uint64_t PERCPU *h)
{
	setenv("PERCPU_MISUSE", "warn", 1);
	CHECK_EQ(apart(give_back, h), TEST_PASS);
	check_said(h, "no handle of this library");
	unsetenv("PERCPU_MISUSE");
	percpu_free(h);
}

int main(int argc, char **argv)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	bool one = argc == 3 && strcmp(argv[2], "one") == 0;
	void *(*library)(void);
	uint64_t (*use_own)(void);

	CHECK(argc == 3 && h != NULL);
	plugin = dlopen(argv[1], RTLD_NOW);
	if (plugin == NULL)
		FAIL("%s", dlerror());
	percpu_inc(h);
	*(void **)&library = find("copies_library");
	*(void **)&use_own = find("copies_use_own");
	CHECK((library() == &percpu__rt) == one);
	CHECK_EQ(use_own(), 1);
	CHECK_EQ(use_own(), 2);
	if (one)
		share_all(h);
	else
		are_apart(h);
	CHECK(dlclose(plugin) == 0);
	return TEST_PASS;
}

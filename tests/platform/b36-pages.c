/* SPDX-License-Identifier: MIT */
/*
 * B36: with pages of 64 KiB and 256 possible CPUs nothing aborts, units are
 * whole odd numbers of pages, and memory stays bounded.
 *
 * The page size is this test's word: its sysconf and getauxval stand before
 * libc's. Started with possible CPUs 0-255.
 */
#include "count.h"
#include "memory.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PAGE 65536ul

static long (*real_sysconf)(int);
static unsigned long (*real_getauxval)(unsigned long);

long sysconf(int name)
{
	if (name == _SC_PAGESIZE)
		return PAGE;
	if (real_sysconf == NULL)
		*(void **)&real_sysconf = dlsym(RTLD_NEXT, "sysconf");
	return real_sysconf(name);
}

unsigned long getauxval(unsigned long type)
{
	if (type == AT_PAGESZ)
		return PAGE;
	if (real_getauxval == NULL)
		*(void **)&real_getauxval = dlsym(RTLD_NEXT, "getauxval");
	return real_getauxval(type);
}

int main(void)
{
	struct counting threads[4] = {
		{ .cpu = -1 }, { .cpu = -1 }, { .cpu = -1 }, { .cpu = -1 }
	};
	size_t before;
	size_t mapped;
	uint64_t PERCPU *h;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer counts with us");
	sysconf(_SC_NPROCESSORS_CONF);
	CHECK_EQ(percpu_nr_slots(), 256);
	/* Threads' stacks are libc's; they are there before the count starts. */
	h = percpu_new(uint64_t);
	CHECK(h != NULL);
	count(threads, 4, 1000, h, 4000);
	percpu_free(h);

	CHECK_EQ(percpu_stride() % PAGE, 0);
	CHECK_EQ(percpu_stride() / PAGE % 2, 1);
	resident();
	mapped = address_space();
	before = resident();
	/* As many objects as fill four chunks' units. */
	for (size_t had = 0; had < 4 * percpu_stride(); had += 1024)
		CHECK(percpu_alloc(1024, 1024) != NULL);
	CHECK(percpu_alloc(PAGE, PAGE) != NULL);
	CHECK(resident() <= before + 6 * 4 * PAGE);
	CHECK(address_space() <= mapped + 6 * 258 * percpu_stride());
	return TEST_PASS;
}

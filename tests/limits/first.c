/* SPDX-License-Identifier: MIT */
/*
 * A process that may have no more memory when it first uses the library gets
 * NULL and ENOMEM, as often as it asks, and what needs no memory works. Once
 * there is memory, allocations work.
 *
 *   first as      no more address space
 *   first data    no more private writable memory
 *   first commit  nothing that the system would still promise
 */
#include "limit.h"

#include <sys/mman.h>

static void *taken[256];
static size_t taken_len[256];

/* Every promise that the system gives, in halves of halves. */
static void take_promises(void)
{
	unsigned n = 0;

	if (number("/proc/sys/vm/overcommit_memory", "") != 2)
		SKIP("this system promises more memory than it has");
	for (size_t len = (size_t)1 << 40; len >= 4096;) {
		void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED) {
			len /= 2;
			continue;
		}
		CHECK(n < 256);
		taken[n] = p;
		taken_len[n++] = len;
	}
}

static void return_promises(void)
{
	for (unsigned n = 0; n < 256 && taken[n] != NULL; n++)
		munmap(taken[n], taken_len[n]);
}

static void tighten(const char *what)
{
	if (strcmp(what, "as") == 0)
		SET_LIMIT(RLIMIT_AS, size_now());
	else if (strcmp(what, "data") == 0)
		SET_LIMIT(RLIMIT_DATA,
			  number("/proc/self/status", "VmData:") * 1024);
	else
		take_promises();
}

static void loosen(void)
{
	SET_LIMIT(RLIMIT_AS, RLIM_INFINITY);
	SET_LIMIT(RLIMIT_DATA, RLIM_INFINITY);
	return_promises();
}

static void check(const char *what)
{
	void PERCPU *h;

	tighten(what);
	/* The first call may make marks of its own, without taking memory. */
	pool.size = 64;
	CHECK(pool_fill(1));
	pool_refuses();
	CHECK(percpu_nr_slots() > percpu_nr_cpu_ids() - 1);
	CHECK(percpu_this_slot() <= percpu_nr_slots());
	CHECK(percpu_max_size() <= percpu_stride());
	percpu_free(NULL);
	pool_refuses();

	loosen();
	h = percpu_alloc(64, 8);
	CHECK(h != NULL);
	percpu_inc((uint64_t PERCPU *)h);
	CHECK_EQ(percpu_sum((uint64_t PERCPU *)h), 1);
	percpu_free(h);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more");
	check(argv[1]);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Under a limit on memory objects are had until it is reached; then a call is
 * NULL and ENOMEM and changes nothing, and what is freed can be had again, in
 * objects of the same size and as one of the largest size.
 *
 *   exhaust as        address space, 100,000 KiB
 *   exhaust data      private writable memory
 *   exhaust memlock   locked memory, in a process that locks all it gets
 *   exhaust commit    what the system promises, where it keeps its promises
 */
#include "limit.h"

#include "locked.h"

#include <sys/wait.h>

#define BYTES ((size_t)100000 * 1024)

/* Bytes that the system has promised, to us alone where it counts. */
static size_t promised(const char *limit)
{
	if (strcmp(limit, "commit") != 0)
		return 0;
	return number("/proc/meminfo", "Committed_AS:") * 1024;
}

/* Set the limit; the bytes that are left of it. */
static size_t enter(const char *limit)
{
	if (strcmp(limit, "as") == 0) {
		SET_LIMIT(RLIMIT_AS, BYTES);
		return BYTES - size_now();
	}
	if (strcmp(limit, "data") == 0) {
		SET_LIMIT(RLIMIT_DATA, BYTES);
		return BYTES - number("/proc/self/status", "VmData:") * 1024;
	}
	if (strcmp(limit, "memlock") == 0) {
		size_t bytes = lock_at_most(BYTES);

		lock_all(0);
		return bytes - number("/proc/self/status", "VmLck:") * 1024;
	}
	CHECK(strcmp(limit, "commit") == 0);
	if (number("/proc/sys/vm/overcommit_memory", "") != 2)
		SKIP("this system promises more memory than it has");
	return number("/proc/meminfo", "CommitLimit:") * 1024 - promised(limit);
}

static void refuses(const char *limit)
{
	size_t before = promised(limit);

	pool_refuses();
	pool_check();
	CHECK_EQ(promised(limit), before);
}

/* Largest objects instead of the @count of the pool, in what those had. */
static void take_largest(unsigned count)
{
	size_t max = percpu_max_size();
	unsigned want = (unsigned)(count * pool.size / max);

	pool.size = max;
	CHECK(pool_fill(POOL_MAX));
	printf(", %u of the largest", pool.live);
	CHECK(pool.live >= want);
	pool_check();
	pool_free(1);
}

/* Every other object, or each, is freed and had again. */
static void take_again(const char *limit, unsigned least)
{
	for (unsigned round = 0; round < 4; round++) {
		pool_free(round % 2 == 0 ? 2 : 1);
		CHECK(pool_fill(POOL_MAX));
		if (pool.live < least)
			FAIL("round %u: %u objects", round, pool.live);
		refuses(limit);
	}
	pool_free(1);
}

static void exhaust(const char *limit, size_t size)
{
	size_t left = enter(limit);
	size_t each;
	unsigned first;
	unsigned least;

	pool.size = size != 0 ? size : percpu_max_size() / 16 * 8;
	each = pool.size * (percpu_nr_slots() + 1);
	CHECK(pool_fill(POOL_MAX));
	least = first = pool.live;
	printf("%u objects of %zu bytes: %zu of %zu KiB", first, pool.size,
	       first * each / 1024, left / 1024);
	CHECK(left < 2 * chunk_bytes() || first * each >= left / 2);
	refuses(limit);
	/* The system counts its promises roughly, by up to some 100 pages. */
	if (strcmp(limit, "commit") == 0)
		least -= (unsigned)(percpu_max_size() / pool.size);
	take_again(limit, least);
	take_largest(least);
	printf("\n");
}

/* In a process of its own, whose first call to the library is under a limit. */
static int run(const char *limit, size_t size)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		exhaust(limit, size);
		exit(TEST_PASS);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	if (WIFSIGNALED(status))
		FAIL("size %zu: killed by signal %d", size, WTERMSIG(status));
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 512, 0 };
	int status = TEST_PASS;

	CHECK(argc == 2);
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more");
	for (unsigned i = 0; i < 2 && status == TEST_PASS; i++)
		status = run(argv[1], sizes[i]);
	return status;
}

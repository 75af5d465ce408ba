/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LIMITS_LIMIT_H
#define TESTS_LIMITS_LIMIT_H
/*
 * limit.h: what the process has, asked without malloc, which a limit hits too;
 * and a pool of objects that is filled until the limit says no.
 *
 * Each object of the pool has its number in every slot, so that one that was
 * given twice, lost or changed is seen.
 */
#include "check.h"
#include "memory.h"

#include <percpu/percpu.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number after @name in a file of /proc; its first one if @name is "". */
static inline size_t number(const char *path, const char *name)
{
	static char text[64 << 10];
	const char *at = text;
	size_t have = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		SKIP("no %s", path);
	while ((n = read(fd, text + have, sizeof(text) - 1 - have)) > 0)
		have += (size_t)n;
	close(fd);
	text[have] = '\0';
	at = strstr(text, name);
	if (at == NULL)
		SKIP("no %s in %s", name, path);
	return strtoul(at + strlen(name), NULL, 10);
}

/* Bytes of address space. */
static inline size_t size_now(void)
{
	return number("/proc/self/status", "VmSize:") * 1024;
}

/* Bytes in memory that are no file's. */
static inline size_t resident_now(void)
{
	return number("/proc/self/smaps_rollup", "Anonymous:") * 1024;
}

static inline unsigned mappings_now(void)
{
	char text[4096];
	unsigned lines = 0;
	ssize_t n;
	int fd = open("/proc/self/maps", O_RDONLY);

	CHECK(fd >= 0);
	while ((n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += text[i] == '\n';
	close(fd);
	return lines;
}

/* Set the limit itself, and not how far it can be raised again. */
#define SET_LIMIT(resource, bytes)                                             \
	do {                                                                   \
		struct rlimit limit_;                                          \
                                                                               \
		CHECK(getrlimit(resource, &limit_) == 0);                      \
		limit_.rlim_cur = (bytes);                                     \
		CHECK(setrlimit(resource, &limit_) == 0);                      \
	} while (0)

#define POOL_MAX (1u << 17)

static struct {
	void PERCPU *h[POOL_MAX];
	unsigned count; /* no object is behind */
	unsigned live;
	size_t size; /* of each, a multiple of 8, at least 8 */
} pool;

static inline bool pool_holds(void PERCPU *h, size_t at, uint64_t value)
{
	uint64_t PERCPU *word = (uint64_t PERCPU *)h + at / 8;
	uint64_t *slot;

	percpu_for_each_slot (slot, word)
		if (*slot != value)
			return false;
	return true;
}

static inline void pool_mark(void PERCPU *h, uint64_t value)
{
	uint64_t PERCPU *first = h;
	uint64_t PERCPU *last = first + pool.size / 8 - 1;
	uint64_t *slot;

	percpu_for_each_slot (slot, first)
		*slot = value;
	percpu_for_each_slot (slot, last)
		*slot = value;
}

/* Object @i is there, zero in every slot, or the limit is reached. */
static inline bool pool_take(unsigned i)
{
	errno = 0;
	pool.h[i] = percpu_alloc(pool.size, 8);
	if (pool.h[i] == NULL) {
		CHECK_EQ(errno, ENOMEM);
		return false;
	}
	CHECK(pool_holds(pool.h[i], 0, 0));
	CHECK(pool_holds(pool.h[i], pool.size - 8, 0));
	pool_mark(pool.h[i], i + 1);
	pool.live++;
	if (i >= pool.count)
		pool.count = i + 1;
	return true;
}

static inline void pool_give(unsigned i)
{
	if (pool.h[i] == NULL)
		return;
	percpu_free(pool.h[i]);
	pool.h[i] = NULL;
	pool.live--;
}

/* Fill what is empty in the pool, then what is behind. True at the limit. */
static inline bool pool_fill(unsigned max)
{
	for (unsigned i = 0; i < max; i++)
		if (pool.h[i] == NULL && !pool_take(i))
			return true;
	return false;
}

static inline void pool_check(void)
{
	for (unsigned i = 0; i < pool.count; i++) {
		if (pool.h[i] == NULL)
			continue;
		CHECK(pool_holds(pool.h[i], 0, i + 1));
		CHECK(pool_holds(pool.h[i], pool.size - 8, i + 1));
	}
}

/* Free every @step-th object. */
static inline void pool_free(unsigned step)
{
	for (unsigned i = 0; i < pool.count; i += step)
		pool_give(i);
	if (step == 1)
		pool.count = 0;
}

/* Free all but every @step-th object. */
static inline void pool_thin(unsigned step)
{
	for (unsigned i = 0; i < pool.count; i++)
		if (i % step != 0)
			pool_give(i);
}

/* Bytes of address space that a chunk takes, its book apart. */
static inline size_t chunk_bytes(void)
{
	return (percpu_nr_slots() + 2) * percpu_stride();
}

/* Further calls at the limit are NULL and ENOMEM and change nothing. */
static inline void pool_refuses(void)
{
	size_t size = size_now();
	unsigned maps = mappings_now();

	for (int i = 0; i < 3; i++) {
		errno = 0;
		CHECK(percpu_alloc(pool.size, 8) == NULL);
		CHECK_EQ(errno, ENOMEM);
	}
	CHECK_EQ(size_now(), size);
	CHECK_EQ(mappings_now(), maps);
}

#endif

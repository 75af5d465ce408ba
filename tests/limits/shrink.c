/* SPDX-License-Identifier: MIT */
/*
 * A limit set below what the process has already: live objects stay as they
 * are and can be used and freed, what is free in their chunks is had as
 * before, more is NULL and ENOMEM; raised again, more is had.
 */
#include "limit.h"

#define CHUNKS 3u

/* The limit on address space is what there is, or half of it. */
static void shrink(size_t size)
{
	unsigned fit;

	SET_LIMIT(RLIMIT_AS, size);
	pool_check();
	CHECK(pool_fill(POOL_MAX)); /* the rest of the last chunk */
	fit = pool.live;
	pool_refuses();
	pool_check();
	for (unsigned i = 0; i < fit; i += 100) {
		percpu_inc((uint64_t PERCPU *)pool.h[i]);
		percpu_dec((uint64_t PERCPU *)pool.h[i]);
	}
	pool_free(2);
	CHECK_EQ(pool.live, fit / 2);
	CHECK(pool_fill(POOL_MAX));
	CHECK(pool.live >= fit);
	pool_refuses();
	pool_check();
}

int main(void)
{
	unsigned enough;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more");
	pool.size = 1024;
	enough = CHUNKS * (unsigned)(percpu_max_size() / pool.size);
	CHECK(!pool_fill(enough - enough / CHUNKS / 2));
	shrink(size_now());
	shrink(size_now() / 2);
	SET_LIMIT(RLIMIT_AS, RLIM_INFINITY);
	CHECK(!pool_fill(2 * enough));
	pool_check();
	pool_free(1);
	return TEST_PASS;
}

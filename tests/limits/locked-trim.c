/* SPDX-License-Identifier: MIT */
/*
 * In a process whose memory is locked percpu_trim() says what it gave back, not
 * less and not more, and what it could not give back is zero when it is had
 * again.
 */
#include "limit.h"

#include "locked.h"

#define CHUNKS 3u

/* Trim; less is resident then, by what it says. */
static size_t trim(void)
{
	size_t before = resident_now();
	size_t bytes = percpu_trim();
	size_t after = resident_now();

	printf("%zu of %zu KiB given back, said to be %zu\n",
	       (before - after) / 1024, before / 1024, bytes / 1024);
	CHECK_EQ(bytes, before - after);
	return before - after;
}

int main(void)
{
	unsigned count = CHUNKS * (unsigned)(percpu_max_size() / 512);

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer has too much to lock");
	need_locked((CHUNKS + 2) * chunk_bytes());
	pool.size = 512;
	lock_all(0);
	CHECK(!pool_fill(count));
	trim();

	/* Free pages in chunks that stay. */
	pool_thin(500);
	trim();
	CHECK(!pool_fill(count));
	pool_check();

	/* And chunks that go: locked or not, their memory does. */
	pool_free(1);
	CHECK(trim() >= (CHUNKS - 1) * percpu_stride());
	CHECK(!pool_fill(count));
	pool_check();
	pool_free(1);
	return TEST_PASS;
}

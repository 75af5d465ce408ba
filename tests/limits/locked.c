/* SPDX-License-Identifier: MIT */
/*
 * In a process whose memory is locked, where the system refuses to drop pages,
 * objects are had as elsewhere, and recycled ones are zero in every slot.
 *
 *   locked before     mlockall before the library's first use
 *   locked after      in between
 *   locked onfault    before, each page when it is touched
 *   locked later      before, and the library has time to tidy up
 */
#include "limit.h"

#include "locked.h"

#define CHUNKS 3u

/* What is free for some seconds may be dropped, when there is some traffic. */
static void idle(void)
{
	for (int second = 0; second < 3; second++) {
		percpu_free(percpu_alloc(percpu_max_size(), 8));
		usleep(1050000);
	}
	percpu_free(percpu_alloc(percpu_max_size(), 8));
}

/* Objects that fill chunks, of which few stay live in each. */
static void recycle(bool later)
{
	unsigned count = pool.count;

	pool_thin(500);
	if (later)
		idle();
	CHECK(!pool_fill(count)); /* each must be zero */
	pool_check();
	pool_free(1);
	CHECK(!pool_fill(count));
	pool_check();
	pool_free(1);
}

int main(int argc, char **argv)
{
	const char *when = argc == 2 ? argv[1] : "";
	bool after = strcmp(when, "after") == 0;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer has too much to lock");
	need_locked((CHUNKS + 2) * chunk_bytes());
	pool.size = 512;
	if (!after)
		lock_all(strcmp(when, "onfault") == 0 ? MCL_ONFAULT : 0);
	CHECK(!pool_fill(CHUNKS * (unsigned)(percpu_max_size() / 512)));
	if (after)
		lock_all(0);
	CHECK(number("/proc/self/status", "VmLck:") * 1024 >= chunk_bytes());
	recycle(strcmp(when, "later") == 0);
	return TEST_PASS;
}

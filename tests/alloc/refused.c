/* SPDX-License-Identifier: MIT */
/*
 * Conformance 28: an allocation that is refused, for its arguments or because
 * memory is short, leaves every number of percpu_alloc_stats() that is not of
 * caches as it was; what caches held is free then, and nothing is lost.
 */
#include "books.h"
#include "slots.h"

#include "memory.h"

#include <sys/resource.h>

#define OBJECTS 64u

static struct percpu_alloc_stats before;

static void look(void)
{
	/* What is at hand for CPUs may go to the chunks at any refusal. */
	percpu_alloc_stats(&before);
}

static void check_same(void)
{
	struct percpu_alloc_stats s;

	percpu_alloc_stats(&s);
	CHECK_EQ(s.live, before.live);
	CHECK_EQ(s.live_bytes, before.live_bytes);
	CHECK_EQ(s.peak_bytes, before.peak_bytes);
	CHECK_EQ(s.chunks, before.chunks);
	CHECK_EQ(s.mapped, before.mapped);
	CHECK_EQ(s.book_bytes, before.book_bytes);
	CHECK_EQ(s.cached_bytes + s.free_bytes,
		 before.cached_bytes + before.free_bytes);
	for (unsigned i = 0; i < PERCPU_ALLOC_CLASSES; i++)
		CHECK_EQ(s.classes[i].live, before.classes[i].live);
	books_check(before.live, before.live_bytes);
}

static void refused(size_t size, size_t align, int err)
{
	for (unsigned i = 0; i < 3; i++) {
		errno = 0;
		if (percpu_alloc(size, align) != NULL)
			FAIL("%zu bytes at %zu were given", size, align);
		CHECK_EQ(errno, err);
		check_same();
	}
}

static void check_arguments(void)
{
	look();
	refused(0, 8, EINVAL);
	refused(8, 0, EINVAL);
	refused(8, 24, EINVAL);
	refused(percpu_max_size() + 1, 1, ENOMEM);
	refused(SIZE_MAX, 1, ENOMEM);
	refused(8, (size_t)1 << 30, ENOMEM);
}

/* From now on no chunk can be mapped. */
static void tighten(void)
{
	struct rlimit limit = { address_space(), RLIM_INFINITY };

	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* Some chunks in use, with holes that are too small for what comes. */
static void check_short(void)
{
	size_t size = percpu_max_size() / 4;
	char PERCPU *h[OBJECTS];

	for (unsigned i = 0; i < OBJECTS; i++)
		h[i] = must_alloc(1 + i % 8 * 100, 8);
	must_alloc(percpu_max_size() - size, 8);
	for (unsigned i = 0; i < OBJECTS; i += 2)
		percpu_free(h[i]);
	tighten();
	look();
	refused(percpu_max_size(), 8, ENOMEM);
	refused(percpu_max_size() - size, 4096, ENOMEM);
	percpu_free(must_alloc(16, 8));
	for (unsigned i = 1; i < OBJECTS; i += 2)
		percpu_free(h[i]);
}

int main(void)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more address space");
	check_arguments();
	percpu_free(must_alloc(8, 8));
	check_arguments();
	check_short();
	return TEST_PASS;
}

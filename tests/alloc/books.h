/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_BOOKS_H
#define TESTS_ALLOC_BOOKS_H
/*
 * books.h: what percpu_alloc_stats() says, against what a test knows.
 */
#include "check.h"
#include "slots.h"

#include <percpu/percpu.h>

struct books {
	size_t chunks;
	size_t largest_free;
};

static inline size_t books_usable(void PERCPU *h, size_t size)
{
	(void)size;
	return percpu_usable_size(h);
}

static inline void books_trim(void)
{
	percpu_trim();
}

static inline struct books books_now(void)
{
	struct percpu_alloc_stats s;

	percpu_alloc_stats(&s);
	return (struct books){ s.chunks, s.largest_free };
}

/* The classes add up to the whole. */
static inline void books_check_classes(const struct percpu_alloc_stats *s)
{
	size_t live = 0;
	size_t cached = 0;
	size_t cached_bytes = 0;

	for (unsigned i = 0; i < PERCPU_ALLOC_CLASSES; i++) {
		const struct percpu_alloc_class *class = &s->classes[i];

		live += class->live;
		cached += class->cached;
		cached_bytes += class->cached * class->size;
	}
	CHECK_EQ(live, s->live);
	CHECK_EQ(cached, s->cached);
	/* Large ones, of no size in their class, wait in the quarantine. */
	CHECK(cached_bytes == s->cached_bytes ||
	      (!OBJECTS_ARE_PLAIN && cached_bytes < s->cached_bytes));
}

/* What is live, cached and free is all there is. Nobody allocates meanwhile. */
static inline void books_check_sums(const struct percpu_alloc_stats *s)
{
	CHECK_EQ(s->live_bytes + s->cached_bytes + s->free_bytes,
		 s->chunks * percpu_stride());
	CHECK(s->peak_bytes >= s->live_bytes + s->cached_bytes);
	CHECK(s->live * 4 <= s->live_bytes && s->cached * 4 <= s->cached_bytes);
	CHECK(s->free_runs * 4 <= s->free_bytes);
	CHECK(s->largest_free <= s->free_bytes);
	CHECK(s->largest_free * s->free_runs >= s->free_bytes);
	CHECK(s->mapped >=
	      s->chunks * (percpu_nr_slots() + 2) * percpu_stride());
	CHECK(s->book_bytes <= s->mapped);
}

/* @live objects are given out, of @bytes. Nobody allocates meanwhile. */
static inline void books_check(size_t live, size_t bytes)
{
	struct percpu_alloc_stats s;

	percpu_alloc_stats(&s);
	CHECK_EQ(s.live, live);
	CHECK(s.live_bytes == bytes ||
	      (!OBJECTS_ARE_PLAIN && s.live_bytes > bytes));
	books_check_classes(&s);
	books_check_sums(&s);
}

/* Nothing is live: after a trim all memory is in one piece, or none is left. */
static inline void books_check_empty(void)
{
	struct percpu_alloc_stats s;

	books_check(0, 0);
	percpu_trim();
	books_check(0, 0);
	percpu_alloc_stats(&s);
	CHECK_EQ(s.cached, 0);
	CHECK(s.chunks <= 1);
	CHECK_EQ(s.free_runs, s.chunks);
	CHECK_EQ(s.largest_free, s.chunks * percpu_stride());
}

/* While others allocate only this much holds. */
static inline void books_look(void)
{
	struct percpu_alloc_stats s;

	percpu_alloc_stats(&s);
	CHECK(s.largest_free <= s.chunks * percpu_stride());
	/* Caches are there before the first chunk is. */
	CHECK(s.book_bytes < s.mapped || s.chunks == 0);
	CHECK(s.book_bytes <= s.mapped);
}

#endif

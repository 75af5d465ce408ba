/* SPDX-License-Identifier: MIT */
/*
 * Conformance 27: percpu_alloc_stats() counts what is live, by size, what is
 * kept at hand and what is free in how many pieces, to the byte; the peak only
 * grows; at the end all is zero but that.
 */
#include "books.h"
#include "slots.h"

#define OBJECTS 200u

static struct percpu_alloc_stats now(void)
{
	struct percpu_alloc_stats s;

	percpu_alloc_stats(&s);
	books_check(s.live, s.live_bytes);
	return s;
}

static void check_sizes(void)
{
	struct percpu_alloc_stats s = now();

	CHECK_EQ(s.classes[0].size, 4);
	for (unsigned i = 1; i + 1 < PERCPU_ALLOC_CLASSES; i++)
		CHECK_EQ(s.classes[i].size, i * 8);
	CHECK_EQ(s.classes[PERCPU_ALLOC_CLASSES - 1].size, 0);
}

/* The class of objects that take @bytes. */
static const struct percpu_alloc_class *
class_of(const struct percpu_alloc_stats *s, size_t bytes)
{
	unsigned last = PERCPU_ALLOC_CLASSES - 1;

	for (unsigned i = 0; i < last; i++)
		if (s->classes[i].size == bytes)
			return &s->classes[i];
	return &s->classes[last];
}

/* Objects of @size take @bytes each, and one class has them. */
static void check_live(size_t size, size_t bytes)
{
	struct percpu_alloc_stats before = now();
	struct percpu_alloc_stats s;
	char PERCPU *h[OBJECTS];

	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = must_alloc(size, 1);
		s = now();
		CHECK_EQ(s.live, before.live + i + 1);
		CHECK_EQ(s.live_bytes, before.live_bytes + (i + 1) * bytes);
		CHECK_EQ(class_of(&s, bytes)->live,
			 class_of(&before, bytes)->live + i + 1);
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[i]);
	s = now();
	CHECK_EQ(s.live, before.live);
	CHECK_EQ(s.live_bytes, before.live_bytes);
	CHECK_EQ(class_of(&s, bytes)->live, class_of(&before, bytes)->live);
}

/* What is freed is at hand, or free; what is at hand is in its class. */
static void check_cached(size_t bytes)
{
	struct percpu_alloc_stats s;

	percpu_trim();
	s = now();
	CHECK_EQ(s.cached, 0);
	CHECK_EQ(s.cached_bytes, 0);
	percpu_free(must_alloc(bytes, 1));
	s = now();
	CHECK(s.cached >= 1);
	CHECK_EQ(class_of(&s, bytes)->cached, s.cached);
	CHECK_EQ(s.cached_bytes, s.cached * bytes);
	percpu_trim();
	s = now();
	CHECK_EQ(s.cached, 0);
}

/* Between kept objects there are as many pieces, each of a known length. */
static void check_pieces(void)
{
	size_t size = percpu_max_size() / 8 / 8 * 8;
	struct percpu_alloc_stats s;
	char PERCPU *h[8];

	percpu_trim();
	CHECK_EQ(now().chunks, 0);
	for (unsigned i = 0; i < 8; i++)
		h[i] = must_alloc(size, 8);
	CHECK_EQ(now().chunks, 1);
	for (unsigned i = 0; i < 8; i += 2)
		percpu_free(h[i]);
	s = now();
	CHECK_EQ(s.free_bytes, percpu_max_size() - 4 * size);
	/* What is left at the end is one more. */
	CHECK_EQ(s.free_runs, 4 + (percpu_max_size() > 8 * size));
	CHECK_EQ(s.largest_free, size);
	for (unsigned i = 1; i < 8; i += 2)
		percpu_free(h[i]);
	s = now();
	CHECK_EQ(s.free_runs, 1);
	CHECK_EQ(s.largest_free, percpu_max_size());
	CHECK_EQ(s.free_bytes, percpu_max_size());
}

/* Whole units, until it is more than it ever was, and three more. */
static void check_peak(void)
{
	static char PERCPU *h[OBJECTS];
	size_t max = percpu_max_size();
	size_t before = now().peak_bytes;
	size_t n = before / max + 3;

	CHECK(n < OBJECTS);
	for (size_t i = 0; i < n; i++) {
		h[i] = must_alloc(max, 1);
		CHECK(now().peak_bytes >= (i + 1) * max);
		CHECK(now().peak_bytes >= before);
	}
	CHECK_EQ(now().peak_bytes, n * max);
	for (size_t i = 0; i < n; i++)
		percpu_free(h[i]);
	percpu_trim();
	CHECK_EQ(now().peak_bytes, n * max);
	percpu_free(must_alloc(max, 1));
	CHECK_EQ(now().peak_bytes, n * max);
}

/*
 * Trimming is not taking: with as much live as ever, and as much that was used
 * and is free, of which nothing live can be moved.
 */
static void check_peak_trimmed(void)
{
	size_t twentieth = percpu_max_size() / 20 / 8 * 8;
	size_t before = now().peak_bytes;
	char PERCPU *h[OBJECTS];
	unsigned n = 0;

	while (now().live_bytes <= before) {
		char PERCPU *gone;

		CHECK(n + 3 <= OBJECTS);
		h[n++] = must_alloc(11 * twentieth, 8);
		gone = must_alloc(8 * twentieth, 8);
		h[n++] = must_alloc(8 * twentieth, 8); /* in the next chunk */
		percpu_free(gone);
		h[n++] = must_alloc(10 * twentieth, 8); /* there, too */
	}
	before = now().peak_bytes;
	percpu_trim();
	CHECK_EQ(now().peak_bytes, before);
	while (n > 0)
		percpu_free(h[--n]);
}

/* Address space goes with chunks; books are part of it. */
static void check_mapped(void)
{
	struct percpu_alloc_stats none;
	struct percpu_alloc_stats one;
	char PERCPU *h;

	percpu_trim();
	none = now();
	h = must_alloc(percpu_max_size(), 1);
	one = now();
	CHECK(one.mapped - none.mapped >=
	      (percpu_nr_slots() + 2) * percpu_stride());
	CHECK_EQ((one.mapped - none.mapped) -
			 (one.book_bytes - none.book_bytes),
		 (percpu_nr_slots() + 2) * percpu_stride());
	percpu_free(h);
	percpu_trim();
	CHECK_EQ(now().mapped, none.mapped);
}

int main(void)
{
	if (!OBJECTS_ARE_PLAIN)
		SKIP("a sanitizer's red zones lie between objects");
	books_check_empty(); /* before there is anything */
	check_sizes();
	check_live(1, 4);
	check_live(4, 4);
	check_live(5, 8);
	check_live(100, 104);
	check_live(1024, 1024);
	check_live(1025, 1032);
	check_live(5000, 5000);
	check_cached(4);
	check_cached(8);
	check_cached(1024);
	check_pieces();
	check_peak();
	check_peak_trimmed();
	check_mapped();
	books_check_empty();
	return TEST_PASS;
}

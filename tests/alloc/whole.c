/* SPDX-License-Identifier: MIT */
/*
 * Conformance 14 and 15: chunks that were filled with objects of all sizes are
 * whole again when those were freed in any order: with one small object left,
 * all but that is one piece that one object fits into; with none left, no chunk
 * and no address space is left either.
 */
#include "books.h"
#include "random.h"
#include "slots.h"

#define OBJECTS_MAX 60000u
#define CHUNKS 3u

static char PERCPU *h[OBJECTS_MAX];
static unsigned count;
static uint64_t state = 11;

static struct percpu_alloc_stats now(void)
{
	struct percpu_alloc_stats s;

	percpu_alloc_stats(&s);
	return s;
}

static size_t draw_size(void)
{
	switch (pick(&state, 10)) {
	case 0: return 4;
	case 1: return 1 + pick(&state, 5000);
	case 2: return percpu_max_size() / (2 + pick(&state, 20));
	default: return 8 + pick(&state, 300);
	}
}

static void take_all(void)
{
	count = 0;
	while (now().chunks <= CHUNKS) {
		for (unsigned i = 0; i < 50; i++) {
			CHECK(count < OBJECTS_MAX);
			h[count++] = must_alloc(draw_size(), 1);
		}
	}
}

/* From the newest, from the oldest, or in no order. */
static void give_all(unsigned order)
{
	for (unsigned i = 0; order == 2 && i < count; i++) {
		unsigned other = pick(&state, count);
		char PERCPU *swap = h[i];

		h[i] = h[other];
		h[other] = swap;
	}
	for (unsigned i = 0; i < count; i++)
		percpu_free(h[order == 0 ? count - 1 - i : i]);
}

static void check_one_left(unsigned order)
{
	char PERCPU *stays = must_alloc(8, 8);
	char PERCPU *rest;
	struct percpu_alloc_stats s;

	take_all();
	give_all(order);
	percpu_trim();
	s = now();
	CHECK_EQ(s.chunks, 1);
	CHECK_EQ(s.free_runs, 1);
	CHECK_EQ(s.free_bytes, percpu_max_size() - 8);
	CHECK_EQ(s.largest_free, percpu_max_size() - 8);
	rest = must_alloc(percpu_max_size() - 8, 8);
	CHECK_EQ(now().chunks, 1);
	CHECK(is_filled(rest, percpu_max_size() - 8, 0));
	percpu_free(rest);
	percpu_free(stays);
}

static void check_none_left(unsigned order, size_t mapped)
{
	take_all();
	give_all(order);
	percpu_trim();
	CHECK_EQ(now().chunks, 0);
	CHECK_EQ(now().mapped, mapped);
}

int main(void)
{
	size_t mapped;

	if (!OBJECTS_ARE_PLAIN)
		SKIP("a sanitizer's red zones lie between objects");
	percpu_free(must_alloc(8, 8));
	percpu_trim();
	mapped = now().mapped; /* the caches */
	for (unsigned round = 0; round < 6; round++) {
		check_one_left(round % 3);
		check_none_left(round % 3, mapped);
	}
	books_check_empty();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * h2_storm.c: two threads that write memory at full speed under a storm of
 * calls, as where the gain was seen: threads that write anonymous memory, whose
 * pages are taken away again by calls to the CPUs that have seen them.
 *
 *   each thread   write 512 bytes, serve, call the other | ...
 *
 * Both serve between pieces, where an interrupt would come in. Up to eight
 * calls are in flight: who waits for each call waits for the other's piece, and
 * no line is seen in that (1.00 to 1.01 x). What is written is a buffer that no
 * cache holds, as the pages were.
 */
#include "h2.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 512, PAGE = 4096, PIECES = PAGE / PIECE };
#define BUFFER ((size_t)64 << 20)

struct writer {
	struct h2_queue queue;
	char *buffer;
	size_t at;
	uint64_t served;
	uint64_t made;
	uint64_t turns; /* slices that this thread has ended */
	struct h2_places places;
} HARNESS_APART;

static struct writer writers[H2_CPUS];

static void answer(void *arg)
{
	struct writer *w = arg;

	__atomic_store_n(&w->served, w->served + 1, __ATOMIC_RELAXED);
}

H2_INLINE void call_other(struct writer *w, struct writer *other,
			  unsigned offset)
{
	struct h2_csd *c = h2_at(&w->places, offset, (unsigned)w->made);

	while (h2_in_flight(c))
		h2_serve(&w->queue);
	h2_queue(&other->queue, c, answer, other);
	w->made++;
}

H2_INLINE void write_page(struct writer *w, struct writer *other,
			  unsigned calls, unsigned offset)
{
	char *page = w->buffer + w->at;

	w->at = (w->at + PAGE) % BUFFER;
	for (unsigned i = 0; i < PIECES; i++) {
		memset(page + (size_t)i * PIECE, (int)w->made, PIECE);
		__asm__ volatile("" : : "r"(page) : "memory");
		h2_serve(&w->queue);
		if (i < calls)
			call_other(w, other, offset);
	}
}

/* The other may still call: serve until it has ended as many slices. */
H2_INLINE void leave(struct writer *w, const struct writer *other)
{
	uint64_t mine = w->turns + 1;

	__atomic_store_n(&w->turns, mine, __ATOMIC_RELEASE);
	while ((int64_t)(__atomic_load_n(&other->turns, __ATOMIC_ACQUIRE) -
			 mine) < 0)
		h2_serve(&w->queue);
	h2_serve(&w->queue);
}

H2_INLINE void storm(unsigned thread, uint64_t pages, unsigned calls,
		     unsigned offset)
{
	struct writer *w = &writers[thread];
	struct writer *other = &writers[1 - thread];

	for (; pages != 0; pages--)
		write_page(w, other, calls, offset);
	leave(w, other);
}

/* With a page's calls, 0, 1 or PIECES of them. */
#define KERNEL(name, calls, offset)                                            \
	__attribute__((noinline, aligned(64))) static void name(               \
		void *arg, unsigned thread, uint64_t pages)                    \
	{                                                                      \
		(void)arg;                                                     \
		storm(thread, pages, calls, offset);                           \
	}

KERNEL(straddling_1, 1, H2_STRADDLING)
KERNEL(aligned_1, 1, H2_ALIGNED)
KERNEL(straddling_8, PIECES, H2_STRADDLING)
KERNEL(aligned_8, PIECES, H2_ALIGNED)
KERNEL(none, 0, 0)

#define VARIANT(name, what, run, of)                                           \
	{                                                                      \
		name, what, run, NULL, of, 0, 0                                \
	}
#define STRADDLING(run)                                                        \
	VARIANT("straddling", "on two lines (until 2017)", run, NULL)
#define ALIGNED(run) VARIANT("aligned", "aligned (the cure)", run, NULL)
#define AGAIN(run) VARIANT("aligned_again", "the same, again", run, "aligned")
#define NONE VARIANT("none", "no calls (bound)", none, NULL)

static const struct variant variants[][4] = {
	{ STRADDLING(straddling_1), ALIGNED(aligned_1), AGAIN(aligned_1),
	  NONE },
	{ STRADDLING(straddling_8), ALIGNED(aligned_8), AGAIN(aligned_8),
	  NONE },
};

static const struct ratio ratios[] = {
	{ "straddling_over_aligned", "straddling", "aligned", GOAL_NONE, 0 },
	{ "aligned_over_none", "aligned", "none", GOAL_NONE, 0 },
};

static const char *lost(void)
{
	if (writers[0].made == writers[1].served &&
	    writers[1].made == writers[0].served)
		return NULL;
	return "calls were lost, or made twice";
}

#define COMPARISON(calls, title, which)                                        \
	{                                                                      \
		"storm_" #calls, "writing memory, and " title, "page",         \
			H2_CPUS, variants[which], 4, ratios, 2, 3e5, lost,     \
			false                                                  \
	}

static const struct comparison comparisons[] = {
	COMPARISON(1, "a call after each page", 0),
	COMPARISON(8, "eight calls a page", 1),
};

void h2_storm(const struct bench *b)
{
	bool made = true;

	for (unsigned i = 0; i < H2_CPUS; i++) {
		writers[i].buffer = aligned_alloc(PAGE, BUFFER);
		made = made && writers[i].buffer != NULL;
		if (made)
			memset(writers[i].buffer, 1, BUFFER);
	}
	compare_all(b, comparisons, 2, made);
	for (unsigned i = 0; i < H2_CPUS; i++)
		free(writers[i].buffer);
}

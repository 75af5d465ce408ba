/* SPDX-License-Identifier: MIT */
/*
 * h2.c: the call descriptor of 2017, on two cache lines or on one.
 *
 *   offset in a line   0        16       32       48       64
 *   straddling                                    | next func | info flags |
 *   aligned to 32      | next func info flags |
 *
 * A caller writes it, the other CPU reads it and writes to it that it is done,
 * and the caller reads that: all of it goes there and back, one line or two.
 * tests/coherence counts them; here is what they cost. Both are on one queue,
 * served by a thread that spins, as an interrupt serves it; the caller waits
 * for each call, or has eight in flight and waits for the oldest. The library's
 * calls do the same through its worker, and are beside them.
 */
#include "h2.h"

#include "duet.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct h2_queue queue;
static struct h2_places straddling, aligned, again;

static struct {
	struct percpu_csd csd[H2_PLACES];
} HARNESS_APART library;

static struct {
	uint64_t n;
} HARNESS_APART hits;

static unsigned target;
static uint64_t asked;

static void hit(void *arg)
{
	(void)arg;
	__atomic_store_n(&hits.n, hits.n + 1, __ATOMIC_RELAXED);
}

static void serve(struct partner *p)
{
	while (!partner_leaves(p)) {
		h2_serve(&queue);
		h2_pause();
	}
}

static struct partner spinning = { .serve = serve };
static struct partner worker;

static struct duet by_hand = { &spinning, false, false };
static struct duet by_library = { &worker, false, false };

H2_INLINE void wait_for(const struct h2_csd *c)
{
	while (h2_in_flight(c))
		h2_pause();
}

H2_INLINE void call(struct h2_places *p, unsigned offset, uint64_t ops)
{
	asked += ops;
	for (; ops != 0; ops--) {
		struct h2_csd *c = h2_at(p, offset, 0);

		h2_queue(&queue, c, hit, NULL);
		wait_for(c);
	}
}

H2_INLINE void call_eight(struct h2_places *p, unsigned offset, uint64_t ops)
{
	asked += ops;
	for (uint64_t i = 0; i < ops; i++) {
		struct h2_csd *c = h2_at(p, offset, (unsigned)i);

		wait_for(c);
		h2_queue(&queue, c, hit, NULL);
	}
	for (unsigned i = 0; i < H2_PLACES; i++)
		wait_for(h2_at(p, offset, i));
}

#define KERNELS(name, place, offset)                                           \
	static void sync_##name(void *arg, unsigned thread, uint64_t ops)      \
	{                                                                      \
		(void)arg;                                                     \
		(void)thread;                                                  \
		call(&place, offset, ops);                                     \
	}                                                                      \
	static void eight_##name(void *arg, unsigned thread, uint64_t ops)     \
	{                                                                      \
		(void)arg;                                                     \
		(void)thread;                                                  \
		call_eight(&place, offset, ops);                               \
	}

KERNELS(straddling, straddling, H2_STRADDLING)
KERNELS(aligned, aligned, H2_ALIGNED)
KERNELS(again, again, H2_ALIGNED)

static void sync_library(void *arg, unsigned thread, uint64_t ops)
{
	(void)arg;
	(void)thread;
	asked += ops;
	for (; ops != 0; ops--)
		percpu_call(target, hit, NULL);
}

/* The last calls have ended when one that waits has: they are run in turn. */
static void eight_library(void *arg, unsigned thread, uint64_t ops)
{
	(void)arg;
	(void)thread;
	asked += ops + 1;
	for (uint64_t i = 0; i < ops; i++)
		while (percpu_call_async(target, &library.csd[i % H2_PLACES]) ==
		       -EBUSY)
			h2_pause();
	percpu_call(target, hit, NULL);
}

#define VARIANT(name, what, run, duet, of)                                     \
	{                                                                      \
		name, what, run, &(duet), of, 32, 0                            \
	}
#define STRADDLING(run)                                                        \
	VARIANT("straddling", "on two lines (until 2017)", run, by_hand, NULL)
#define ALIGNED(run)                                                           \
	VARIANT("aligned", "aligned (the cure)", run, by_hand, NULL)
#define AGAIN(run)                                                             \
	VARIANT("aligned_again", "the same, again", run, by_hand, "aligned")
#define LIBRARY(run) VARIANT("library", "this library", run, by_library, NULL)

static const struct variant one[] = { STRADDLING(sync_straddling),
				      ALIGNED(sync_aligned), AGAIN(sync_again),
				      LIBRARY(sync_library) };
static const struct variant eight[] = { STRADDLING(eight_straddling),
					ALIGNED(eight_aligned),
					AGAIN(eight_again),
					LIBRARY(eight_library) };

static const struct ratio ratios[] = {
	{ "straddling_over_aligned", "straddling", "aligned", GOAL_NONE, 0 },
	{ "straddling_over_library", "straddling", "library", GOAL_NONE, 0 },
	{ "library_over_aligned", "library", "aligned", GOAL_NONE, 0 },
};

static const char *lost(void)
{
	return hits.n == asked ? NULL : "calls were lost, or made twice";
}

static const struct comparison comparisons[] = {
	{ "sync", "a call that is waited for", "call", H2_CPUS, one, 4, ratios,
	  3, 2e5, lost, false },
	{ "eight", "eight calls in flight", "call", H2_CPUS, eight, 4, ratios,
	  3, 2e5, lost, false },
};

/* 0 or -errno. */
static int open_partners(int cpu)
{
	int err;

	target = (unsigned)cpu;
	err = partner_watch_worker(&worker, target);
	if (err < 0)
		return err;
	for (unsigned i = 0; i < H2_PLACES; i++)
		percpu_csd_init(&library.csd[i], hit, NULL);
	return partner_open(&spinning, cpu);
}

static void run(const struct bench *b)
{
	int err = b->nr_cpus < H2_CPUS ? 0 : open_partners(b->cpus[1]);

	for (unsigned i = 0; i < 2; i++)
		if (err == 0)
			duet_compare(b, &comparisons[i]);
		else
			compare_skip(b, &comparisons[i], strerror(-err));
	partner_close(&spinning);
	h2_storm(b);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run },
};

const struct experiment experiment_h2 = {
	.name = "H2",
	.what = "the call descriptor of 2017, on two cache lines or on one",
	.story =
		"  To have another CPU run a function, a caller hands it a "
		"descriptor of 32 bytes.\n"
		"  Until 2017 nothing aligned it, and where it lay on two lines "
		"both went there\n"
		"  and back with each call. In the kernel 5 % more memory was "
		"written in a second\n"
		"  once it was aligned. The first two are by hand, a thread that "
		"spins answers;\n"
		"  this library's calls go to its worker.\n",
	.short_ratio = "straddling_over_aligned",
	.short_from = "storm_1",
	.parts = parts,
	.nr_parts = 1,
};

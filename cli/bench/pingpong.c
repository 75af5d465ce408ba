/* SPDX-License-Identifier: MIT */
/*
 * pingpong.c: how far apart the two CPUs are.
 *
 * On virtual machines this distance has two values, and flips between them
 * within minutes while nothing in the guest changes: 61 ns or 320 ns for the
 * same two pinned threads, as the host moves the virtual CPUs between core
 * complexes. What sharing a line costs follows it, so a ratio means little
 * without it.
 *
 * The 10 % point of some slices is taken: another guest's work makes trips
 * longer for a moment, and nothing makes them shorter than the distance.
 */
#include "pingpong.h"

#include "stats.h"

#include <math.h>
#include <stdatomic.h>

/* Quiet slices that there must be. */
#define FEWEST 10

static struct {
	_Atomic uint64_t hits;
} HARNESS_APART line;

/* One operation: each thread changes the line once, in turn. */
static void volley(void *arg, unsigned thread, uint64_t ops)
{
	(void)arg;
	for (; ops != 0; ops--) {
		uint64_t hits;

		do
			hits = atomic_load_explicit(&line.hits,
						    memory_order_acquire);
		while (hits % 2 != thread);
		atomic_store_explicit(&line.hits, hits + 1,
				      memory_order_release);
	}
}

double pingpong_ns(const struct bench *b)
{
	static const struct variant v = {
		"ping_pong", "line there and back", volley, NULL, NULL, 0, 0
	};
	struct plan plan = { .variants = &v,
			     .nr_variants = 1,
			     .threads = 2,
			     .cpus = b->cpus,
			     .rounds = 60,
			     .seconds = 0.05,
			     .slice_ns = 2e4 };
	struct samples s;
	struct spread ns = { NAN, NAN, NAN, 0 };

	if (b->nr_cpus < 2)
		return NAN;
	if (harness_run(&plan, &s) == 0)
		ns = stats_spread(samples_of(&s, 0), s.rounds);
	samples_free(&s);
	return ns.n < FEWEST ? NAN : ns.p10;
}

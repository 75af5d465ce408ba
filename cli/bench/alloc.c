/* SPDX-License-Identifier: MIT */
/*
 * alloc.c: an allocation and its free, beside those of general allocators.
 *
 * An object of N bytes here is N bytes for each CPU, and zero. So it is held
 * against calloc of twice the size, what two CPUs need. 64 objects are taken,
 * then freed in the same order, again and again.
 *
 * With one thread, glibc leaves its locks out, and does so only in a process
 * that never had another thread: that comparison is made in a process of its
 * own, by its first thread. With two threads each has 64 objects; "alone" is
 * the same with the other thread waiting, so both over alone is what a second
 * thread costs the first.
 */
#include "alloc.h"

#include "alloc_peers.h"
#include "compare.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64u

/* What one variant does. */
struct job {
	const struct peer *peer;
	size_t size;
	bool alone; /* thread 1 waits until thread 0 is done */
};

static struct {
	void *p[BATCH];
} HARNESS_APART objects[HARNESS_MAX_THREADS];

static struct {
	_Atomic uint64_t slices;
} HARNESS_APART finished;

static void pairs(const struct job *j, unsigned thread, uint64_t ops)
{
	void **p = objects[thread].p;

	while (ops != 0) {
		unsigned n = ops < BATCH ? (unsigned)ops : BATCH;

		for (unsigned i = 0; i < n; i++)
			p[i] = j->peer->alloc(j->size);
		for (unsigned i = 0; i < n; i++)
			j->peer->free(p[i]);
		ops -= n;
	}
}

static void run_job(void *arg, unsigned thread, uint64_t ops)
{
	static uint64_t waited_for; /* thread 1's */
	const struct job *j = arg;

	if (j->alone && thread == 1) {
		waited_for++;
		while (atomic_load(&finished.slices) < waited_for)
			;
		return;
	}
	pairs(j, thread, ops);
	if (j->alone)
		atomic_fetch_add(&finished.slices, 1);
}

#define MAX_JOBS 8

/* The variants for one size. */
struct lineup {
	struct job jobs[MAX_JOBS];
	struct variant variants[MAX_JOBS];
	unsigned n;
};

static void add(struct lineup *l, const char *name, const char *what,
		struct job job, const char *control_of)
{
	l->jobs[l->n] = job;
	l->variants[l->n] = (struct variant){ .name = name,
					      .what = what,
					      .run = run_job,
					      .arg = &l->jobs[l->n],
					      .control_of = control_of };
	l->n++;
}

static void line_up(struct lineup *l, size_t size, unsigned threads)
{
	struct job ours = { &peer_percpu, size, false };
	struct job alone = { &peer_percpu, size, true };
	struct job jemalloc = { &peer_jemalloc, 2 * size, false };
	struct job mimalloc = { &peer_mimalloc, 2 * size, false };

	l->n = 0;
	add(l, "percpu", "percpu_alloc, percpu_free", ours, NULL);
	add(l, "percpu_again", "the same, again", ours, "percpu");
	if (threads == 2)
		add(l, "percpu_alone", "the same, one thread of two", alone,
		    NULL);
	add(l, "calloc", "calloc of twice the size",
	    (struct job){ &peer_calloc, 2 * size, false }, NULL);
	add(l, "malloc", "malloc of twice the size",
	    (struct job){ &peer_malloc, 2 * size, false }, NULL);
	if (peer_jemalloc.alloc != NULL)
		add(l, "jemalloc", "calloc of jemalloc, twice", jemalloc, NULL);
	if (peer_mimalloc.alloc != NULL)
		add(l, "mimalloc", "calloc of mimalloc, twice", mimalloc, NULL);
}

static const struct ratio ratios[] = {
	{ "percpu_over_calloc", "percpu", "calloc", GOAL_AT_MOST, 1.0 },
	{ "both_over_alone", "percpu", "percpu_alone", GOAL_AT_MOST, 1.2 },
};

struct size {
	size_t bytes;
	const char *key_1, *title_1, *key_2, *title_2;
};

static const struct size sizes[] = {
	{ 8, "pairs_8_1_thread", "8 bytes, 1 thread", "pairs_8_2_threads",
	  "8 bytes, 2 threads" },
	{ 64, "pairs_64_1_thread", "64 bytes, 1 thread", "pairs_64_2_threads",
	  "64 bytes, 2 threads" },
	{ 256, "pairs_256_1_thread", "256 bytes, 1 thread",
	  "pairs_256_2_threads", "256 bytes, 2 threads" },
};

#define COUNT(array) (unsigned)(sizeof(array) / sizeof((array)[0]))

static void run_size(const struct bench *b, const struct size *s,
		     unsigned threads)
{
	struct lineup l;
	struct comparison c = {
		.key = threads == 1 ? s->key_1 : s->key_2,
		.title = threads == 1 ? s->title_1 : s->title_2,
		.unit = "alloc and free",
		.threads = threads,
		.ratios = ratios,
		.nr_ratios = threads,
		.slice_ns = 1e5,
		.alone = threads == 1,
	};

	line_up(&l, s->bytes, threads);
	c.variants = l.variants;
	c.nr_variants = l.n;
	compare(b, &c);
}

static void run_pairs(const struct bench *b, unsigned threads)
{
	peers_find();
	for (unsigned i = 0; i < COUNT(sizes); i++)
		run_size(b, &sizes[i], threads);
}

static void run_alone(const struct bench *b)
{
	run_pairs(b, 1);
}

static void run_together(const struct bench *b)
{
	run_pairs(b, 2);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run_alone },
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run_together },
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, alloc_replays },
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, alloc_memory },
};

const struct experiment experiment_alloc = {
	.name = "alloc",
	.what = "handles taken and given back, beside malloc; memory",
	.story = "  64 objects are taken, then freed, again and again, beside "
		 "calloc of twice the\n"
		 "  size, which is what two CPUs need. Then a million objects, "
		 "each case in a\n"
		 "  process of its own; then what all of it takes in memory.\n",
	.short_ratio = "percpu_over_calloc",
	.short_from = "pairs_64_1_thread",
	.parts = parts,
	.nr_parts = COUNT(parts),
};

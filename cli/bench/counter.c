/* SPDX-License-Identifier: MIT */
/*
 * counter.c: what adding to a counter costs: percpu_counter_add with the
 * default batch, to eight counters in turn, beside a thread-local ++, a
 * percpu_add, and a locked add to a line of each thread's own and to one for
 * all.
 *
 * A counter tells all CPUs once in a batch, so its add costs a percpu_add and a
 * batch's part of a locked add; with two threads that one is contended.
 */
#include "counter_tree.h"
#include "ops.h"

#define COUNTERS 8u

static struct percpu_counter counters[2][COUNTERS];
static struct row PERCPU *words;
static __thread struct row mine;
static struct row own[HARNESS_MAX_THREADS];
static struct row shared;

static struct place own_place = { (char *)own, sizeof(*own) };
static struct place shared_place = { (char *)&shared, 0 };
static struct place percpu_place;
static struct place counter_place = { (char *)counters[0], 0 };
static struct place counter_place_again = { (char *)counters[1], 0 };

static struct {
	uint64_t adds[2];
} HARNESS_APART done[HARNESS_MAX_THREADS];

ALWAYS_INLINE void tls_inc(char *at, unsigned k)
{
	(void)at;
	mine.of[k].n++;
	__asm__ volatile("" : "+m"(mine.of[k].n));
}

ALWAYS_INLINE void lock_add(char *at, unsigned k)
{
	__atomic_fetch_add(&((struct row *)(void *)at)->of[k].n, 1,
			   __ATOMIC_RELAXED);
}

ALWAYS_INLINE void add(char *at, unsigned k)
{
	percpu_add(WORD(uint64_t, at, k), 1);
}

ALWAYS_INLINE void counter_add(char *at, unsigned k)
{
	percpu_counter_add((struct percpu_counter *)(void *)at + k, 1);
}

LOOP(in_turn_tls, tls_inc, 0, 1, 2, 3, 4, 5, 6, 7)
LOOP(in_turn_lock_add, lock_add, 0, 1, 2, 3, 4, 5, 6, 7)
LOOP(in_turn_add, add, 0, 1, 2, 3, 4, 5, 6, 7)
LOOP(in_turn_counter_add, counter_add, 0, 1, 2, 3, 4, 5, 6, 7)

static void count(void *arg, unsigned thread, uint64_t ops)
{
	in_turn_counter_add(arg, thread, ops);
	done[thread].adds[arg == &counter_place_again] += ops;
}

static const struct variant variants[] = {
	{ "tls_inc", "thread-local ++", in_turn_tls, &own_place, NULL, 0, 0 },
	{ "percpu_add", "percpu_add", in_turn_add, &percpu_place, NULL, 0, 0 },
	{ "counter_add", "percpu_counter_add", count, &counter_place, NULL, 0,
	  0 },
	{ "counter_add_again", "percpu_counter_add, again", count,
	  &counter_place_again, "counter_add", 0, 0 },
	{ "lock_add_own", "lock add on an own line", in_turn_lock_add,
	  &own_place, NULL, 0, 0 },
	{ "lock_add_shared", "lock add on one line for all", in_turn_lock_add,
	  &shared_place, NULL, 0, 0 },
};

static const struct ratio one_ratios[] = {
	{ "counter_add_over_tls_inc", "counter_add", "tls_inc", GOAL_AT_MOST,
	  3.5 },
	{ "counter_add_over_percpu_add", "counter_add", "percpu_add", GOAL_NONE,
	  0 },
};
static const struct ratio two_ratios[] = {
	{ "counter_add_over_tls_inc", "counter_add", "tls_inc", GOAL_NONE, 0 },
	{ "lock_add_shared_over_counter_add", "lock_add_shared", "counter_add",
	  GOAL_AT_LEAST, 6 },
};

static const char *miscounted(void)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t adds = 0;
		uint64_t sum = 0;

		for (unsigned t = 0; t < HARNESS_MAX_THREADS; t++)
			adds += done[t].adds[i];
		for (unsigned k = 0; k < COUNTERS; k++)
			sum += (uint64_t)percpu_counter_sum(&counters[i][k]);
		if (sum != adds)
			return "the sums are not what was added";
	}
	return NULL;
}

static const struct comparison comparisons[] = {
	{ "counter_1_thread", "eight counters in turn, 1 thread", "add", 1,
	  variants, COUNT(variants), one_ratios, COUNT(one_ratios), 5e4,
	  miscounted, false },
	{ "counter_2_threads", "eight counters in turn, 2 threads", "add", 2,
	  variants, COUNT(variants), two_ratios, COUNT(two_ratios), 5e4,
	  miscounted, false },
};

static void run(const struct bench *b)
{
	bool made = percpu_counter_init_many(counters[0], 0, 2 * COUNTERS) == 0;

	words = percpu_new(struct row);
	percpu_place.base = (char *)(uintptr_t)words;
	compare_all(b, comparisons, COUNT(comparisons), made && words != NULL);
	percpu_counter_destroy_many(counters[0], 2 * COUNTERS);
	percpu_free(words);
	counter_tree_run(b);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run },
};

const struct experiment experiment_counter = {
	.name = "counter",
	.what = "adding to a counter, beside a thread-local ++ and one atomic",
	.story =
		"  Eight counters in turn, with the default batch: once in a "
		"batch a CPU tells the\n"
		"  others. A read then looks at a few words, an exact sum at "
		"each CPU's. Beside them\n"
		"  trees: a read of one word, and less far off on many CPUs.\n",
	.short_ratio = "lock_add_shared_over_counter_add",
	.short_from = "counter_2_threads",
	.parts = parts,
	.nr_parts = 1,
};

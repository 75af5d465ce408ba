/* SPDX-License-Identifier: MIT */
/*
 * counter_tree.c: percpu_counter_tree beside percpu_counter: adds to eight in
 * turn, reads, and how far reads may be off, here and on more CPUs.
 *
 * All CPUs write a counter's one word once in a batch, so its default batch
 * grows with their number, and its error with the square. Eight write a node of
 * a tree, whatever their number, so its batch stays.
 *
 * The bounds for other CPUs are worked out by the rule that the library's
 * header gives; where it differs from what the library says of this computer,
 * none is shown.
 */
#include "counter_tree.h"

#include "ops.h"
#include "table.h"

#include <math.h>
#include <stdio.h>

#define EACH 8u
#define BATCH 32u

static struct percpu_counter counters[EACH];
static struct percpu_counter_tree trees[2][EACH];

static struct place counter_place = { (char *)counters, 0 };
static struct place tree_place = { (char *)trees[0], 0 };
static struct place tree_place_again = { (char *)trees[1], 0 };

static struct {
	uint64_t adds[2];
} HARNESS_APART done[HARNESS_MAX_THREADS];

#define COUNTER(at, k) ((struct percpu_counter *)(void *)(at) + (k))
#define TREE(at, k) ((struct percpu_counter_tree *)(void *)(at) + (k))

ALWAYS_INLINE void counter_add(char *at, unsigned k)
{
	percpu_counter_add(COUNTER(at, k), 1);
}

ALWAYS_INLINE void tree_add(char *at, unsigned k)
{
	percpu_counter_tree_add(TREE(at, k), 1);
}

ALWAYS_INLINE void counter_read(char *at, unsigned k)
{
	use((uint64_t)percpu_counter_read(COUNTER(at, k)));
}

ALWAYS_INLINE void tree_read(char *at, unsigned k)
{
	use((uint64_t)percpu_counter_tree_read(TREE(at, k)));
}

ALWAYS_INLINE void tree_sum(char *at, unsigned k)
{
	use((uint64_t)percpu_counter_tree_sum(TREE(at, k)));
}

LOOP(in_turn_counter_add, counter_add, 0, 1, 2, 3, 4, 5, 6, 7)
LOOP(in_turn_tree_add, tree_add, 0, 1, 2, 3, 4, 5, 6, 7)
LOOP(in_turn_counter_read, counter_read, 0, 1, 2, 3, 4, 5, 6, 7)
LOOP(in_turn_tree_read, tree_read, 0, 1, 2, 3, 4, 5, 6, 7)
LOOP(in_turn_tree_sum, tree_sum, 0, 1, 2, 3, 4, 5, 6, 7)

static void count(void *arg, unsigned thread, uint64_t ops)
{
	in_turn_tree_add(arg, thread, ops);
	done[thread].adds[arg == &tree_place_again] += ops;
}

static const struct variant adds[] = {
	{ "counter_add", "percpu_counter_add", in_turn_counter_add,
	  &counter_place, NULL, 0, 0 },
	{ "tree_add", "percpu_counter_tree_add", count, &tree_place, NULL, 0,
	  0 },
	{ "tree_add_again", "percpu_counter_tree_add, again", count,
	  &tree_place_again, "tree_add", 0, 0 },
};

static const struct variant reads[] = {
	{ "counter_read", "percpu_counter_read", in_turn_counter_read,
	  &counter_place, NULL, 0, 0 },
	{ "tree_read", "percpu_counter_tree_read", in_turn_tree_read,
	  &tree_place, NULL, 0, 0 },
	{ "tree_read_again", "percpu_counter_tree_read, again",
	  in_turn_tree_read, &tree_place_again, "tree_read", 0, 0 },
	{ "tree_sum", "percpu_counter_tree_sum", in_turn_tree_sum, &tree_place,
	  NULL, 0, 0 },
};

static const struct ratio add_ratios[] = {
	{ "tree_add_over_counter_add", "tree_add", "counter_add", GOAL_NONE,
	  0 },
};
static const struct ratio read_ratios[] = {
	{ "counter_read_over_tree_read", "counter_read", "tree_read", GOAL_NONE,
	  0 },
	{ "tree_sum_over_tree_read", "tree_sum", "tree_read", GOAL_NONE, 0 },
};

static const char *miscounted(void)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t added = 0;
		uint64_t sum = 0;

		for (unsigned t = 0; t < HARNESS_MAX_THREADS; t++)
			added += done[t].adds[i];
		for (unsigned k = 0; k < EACH; k++)
			sum += (uint64_t)percpu_counter_tree_sum(&trees[i][k]);
		if (sum != added)
			return "the sums are not what was added";
	}
	return NULL;
}

static const struct comparison comparisons[] = {
	{ "tree_1_thread", "eight trees in turn, 1 thread", "add", 1, adds,
	  COUNT(adds), add_ratios, COUNT(add_ratios), 5e4, miscounted, false },
	{ "tree_2_threads", "eight trees in turn, 2 threads", "add", 2, adds,
	  COUNT(adds), add_ratios, COUNT(add_ratios), 5e4, miscounted, false },
	{ "tree_reads_1_thread", "reads of eight in turn, 1 thread", "read", 1,
	  reads, COUNT(reads), read_ratios, COUNT(read_ratios), 5e4, NULL,
	  false },
};

/* Half a batch of each slot and node, a node's being of all its children's. */
static double tree_bound(unsigned cpus)
{
	double half = BATCH / 2.0;
	double bound = half * (cpus + 1);

	while (cpus > 8) {
		cpus = (cpus + 7) / 8;
		half *= 8;
		bound += half * cpus;
	}
	return bound;
}

static void bound_row(struct table *t, unsigned cpus, bool here)
{
	double batch = cpus > BATCH / 2 ? 2 * cpus : BATCH;
	double counter = (batch - 1) * cpus;
	double row[] = { batch, counter, 2 * counter, BATCH, tree_bound(cpus) };
	char name[32];

	snprintf(name, sizeof(name), "%u CPUs%s", cpus, here ? ", here" : "");
	table_row(t, name, row);
}

static void bounds(const struct bench *b)
{
	struct table t = {
		.key = "bounds",
		.title = "how far a read may be from the sum",
		.unit = "",
		.says = "    at rest, with default batches; worst: while "
			"threads stand within adds\n",
		.columns = { "batch", "counter", "worst", "batch", "tree" },
		.goals = { NAN, NAN, NAN, NAN, NAN },
	};
	unsigned cpus = percpu_nr_slots();
	int64_t over = percpu_counter_tree_error_bound(&trees[0][0]);

	if (tree_bound(cpus) < (double)over || tree_bound(cpus) > (double)over)
		return;
	table_begin(&t);
	bound_row(&t, cpus, true);
	bound_row(&t, 64, false);
	bound_row(&t, 256, false);
	table_end(&t, b);
}

static bool make(void)
{
	bool made = percpu_counter_init_many(counters, 0, EACH) == 0;

	for (unsigned k = 0; k < 2 * EACH; k++)
		made &= percpu_counter_tree_init(&trees[k / EACH][k % EACH], 0,
						 BATCH) == 0;
	return made;
}

static void destroy(void)
{
	for (unsigned k = 0; k < 2 * EACH; k++)
		percpu_counter_tree_destroy(&trees[k / EACH][k % EACH]);
	percpu_counter_destroy_many(counters, EACH);
}

void counter_tree_run(const struct bench *b)
{
	bool made = make();

	compare_all(b, comparisons, COUNT(comparisons), made);
	if (made)
		bounds(b);
	destroy();
}

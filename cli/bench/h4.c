/* SPDX-License-Identifier: MIT */
/*
 * h4.c: the kernel's percpu_counter of 2009: the pointer to the CPUs' counts,
 * which every add reads, lay beside lock and count, which an add writes once in
 * a batch. So each CPU's next add after that waited for the line. It was seen
 * as context switches lost to accounting; h4_switch.c makes real ones.
 *
 *   before        | lock | count | list | counters |        one line
 *   cure of 2009  | counters |      | lock | count | list | two
 *   this library  a handle that nobody writes; the words that all write lie in
 *                 the shared slot, CPUs' in their units
 *
 * Here an operation is an add of 1 and nothing else, on two CPUs, with batches
 * from 1, where all write anyway, to 64. Two CPUs that do nothing else fight
 * for the line all the time; then who is slower between two carries may find
 * it gone more often. The goals are what a prototype's cure, with a plain ++,
 * gained on an AMD EPYC (Zen 4 class); with batch 32, where its CPUs were far
 * from each other, which gained less.
 */
#include "h4.h"

#define BATCHES 5u

static const int32_t batches[BATCHES] = { 1, 4, 8, 32, 64 };

static struct h4_before before;
static struct h4_apart apart;
static struct percpu_counter counter HARNESS_APART;
static struct percpu_counter again HARNESS_APART;
static int32_t batch HARNESS_APART;

static struct {
	uint64_t adds[4];
} HARNESS_APART done[H4_CPUS];

#define KERNEL(name, number, add)                                              \
	__attribute__((noinline, aligned(64))) static void name(               \
		void *arg, unsigned thread, uint64_t ops)                      \
	{                                                                      \
		(void)arg;                                                     \
		for (uint64_t i = 0; i < ops; i++)                             \
			add;                                                   \
		done[thread].adds[number] += ops;                              \
	}

KERNEL(add_before, 0, h4_add(&before.counters, &before.c, batch))
KERNEL(add_apart, 1, h4_add(&apart.counters, &apart.c, batch))
KERNEL(add_library, 2, percpu_counter_add_batch(&counter, 1, batch))
KERNEL(add_again, 3, percpu_counter_add_batch(&again, 1, batch))

static const struct variant variants[] = {
	{ "before", "before (pointer beside)", add_before, NULL, NULL, 0, 0 },
	{ "apart", "cure of 2009 (apart)", add_apart, NULL, NULL, 0, 0 },
	{ "library", "this library", add_library, NULL, NULL, 0, 0 },
	{ "library_again", "this library, again", add_again, NULL, "library", 0,
	  0 },
};

/* What "before" takes at least in terms of the library; 0: that is not said. */
static const double goals[BATCHES] = { 1.02, 0, 1.37, 1.4, 2.03 };

static const struct comparison comparisons[BATCHES] = {
#define COMPARISON(n)                                                          \
	{                                                                      \
		"batch_" #n, "adds of 1, batch " #n ", 2 threads", "add",      \
			H4_CPUS, variants, 4, NULL, 3, 5e4, NULL, false        \
	}
	COMPARISON(1),	COMPARISON(4),	COMPARISON(8),
	COMPARISON(32), COMPARISON(64),
};

static uint64_t total(unsigned number)
{
	uint64_t sum = 0;

	for (unsigned t = 0; t < H4_CPUS; t++)
		sum += done[t].adds[number];
	return sum;
}

static const char *miscounted(void)
{
	if ((uint64_t)percpu_counter_sum(&counter) == total(2) &&
	    (uint64_t)percpu_counter_sum(&again) == total(3))
		return NULL;
	return "the library's sum is not what was added";
}

static void compare_batch(const struct bench *b, unsigned i, bool made)
{
	const struct ratio ratios[] = {
		{ "before_over_library", "before", "library",
		  goals[i] > 0 ? GOAL_AT_LEAST : GOAL_NONE, goals[i] },
		{ "before_over_apart", "before", "apart", GOAL_NONE, 0 },
		{ "apart_over_library", "apart", "library", GOAL_NONE, 0 },
	};
	struct comparison c = comparisons[i];

	c.ratios = ratios;
	c.wrong = miscounted;
	batch = batches[i];
	if (made)
		compare(b, &c);
	else
		compare_skip(b, &c, "there is no memory for it");
}

static void run(const struct bench *b)
{
	bool made = percpu_counter_init(&counter, 0) == 0 &&
		    percpu_counter_init(&again, 0) == 0;

	before.counters = percpu_new(int32_t);
	apart.counters = percpu_new(int32_t);
	made = made && before.counters != NULL && apart.counters != NULL;

	for (unsigned i = 0; i < BATCHES; i++)
		compare_batch(b, i, made);
	percpu_counter_destroy(&again);
	percpu_counter_destroy(&counter);
	percpu_free(apart.counters);
	percpu_free(before.counters);
	h4_switch(b);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run },
};

const struct experiment experiment_h4 = {
	.name = "H4",
	.what = "the percpu_counter of 2009: the pointer that all read beside "
		"what all write",
	.story =
		"  Each add reads where its CPU's count is, and once in a batch "
		"writes the count\n"
		"  for all. Until 2009 both lay in one line, so that what one CPU "
		"told took from the\n"
		"  others what they read (before). The smaller the batch, the "
		"more there is to gain,\n"
		"  until writing itself is all that counts. Real context "
		"switches, as in the report\n"
		"  of 2009 (414-416k a second without, 401-404k before, 412-413k "
		"after), come last.\n",
	.short_ratio = "before_over_library",
	.short_from = "batch_32",
	.parts = parts,
	.nr_parts = 1,
};

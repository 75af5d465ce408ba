/* SPDX-License-Identifier: MIT */
/*
 * ops.c: what one operation costs, beside a thread-local ++ and a locked add.
 *
 * Two patterns, since processors treat them differently:
 *
 *   rotating    eight words on eight lines, in turn: how a program that has
 *               more than one counter sees it. The headline.
 *   same word   the same word back to back: each operation waits for the last
 *               one's store. Some processors forward that store in 0.3 ns at
 *               times and in 1.6 ns at others, with the same code.
 *
 * Every loop is unrolled eight times, whatever it does, so that the loop's own
 * cost is an eighth of an instruction or two and the same for all. A ++ is kept
 * in memory by an empty asm statement that claims to change the word: one
 * "add $1, memory" an operation, what a compiler makes of a ++ in a function.
 * (A volatile word takes three instructions, which no program has.)
 */
#include "ops.h"

#include <stdlib.h>

static struct {
	struct row row;
} HARNESS_APART own[HARNESS_MAX_THREADS], shared;

static __thread struct row mine;

static struct place own_place = { (char *)own, sizeof(own[0]) };
static struct place shared_place = { (char *)&shared, 0 };
/* Handles, which are the same for each thread. */
static struct place percpu_place, percpu_place_again;

ALWAYS_INLINE void tls_inc(char *at, unsigned k)
{
	(void)at;
	mine.of[k].n++;
	__asm__ volatile("" : "+m"(mine.of[k].n));
}

ALWAYS_INLINE void lock_add(char *at, unsigned k)
{
	__atomic_fetch_add((uint64_t *)(void *)(at + k * sizeof(struct word)),
			   1, __ATOMIC_RELAXED);
}

ALWAYS_INLINE void add(char *at, unsigned k)
{
	percpu_add(WORD(uint64_t, at, k), 1);
}

ALWAYS_INLINE void add_u8(char *at, unsigned k)
{
	percpu_add(WORD(uint8_t, at, k), 1);
}

ALWAYS_INLINE void add_u16(char *at, unsigned k)
{
	percpu_add(WORD(uint16_t, at, k), 1);
}

ALWAYS_INLINE void add_u32(char *at, unsigned k)
{
	percpu_add(WORD(uint32_t, at, k), 1);
}

ALWAYS_INLINE void inc(char *at, unsigned k)
{
	percpu_inc(WORD(uint64_t, at, k));
}

ALWAYS_INLINE void add_call(char *at, unsigned k)
{
	percpu_add_u64(WORD(void, at, k), 1);
}

ALWAYS_INLINE void write_word(char *at, unsigned k)
{
	percpu_write(WORD(uint64_t, at, k), k);
}

ALWAYS_INLINE void read_word(char *at, unsigned k)
{
	use(percpu_read(WORD(uint64_t, at, k)));
}

ALWAYS_INLINE void sum(char *at, unsigned k)
{
	use(percpu_sum(WORD(uint64_t, at, k)));
}

#define PATTERNS(op)                                                           \
	LOOP(rotating_##op, op, 0, 1, 2, 3, 4, 5, 6, 7)                        \
	LOOP(same_##op, op, 0, 0, 0, 0, 0, 0, 0, 0)

PATTERNS(tls_inc)
PATTERNS(lock_add)
PATTERNS(add)
PATTERNS(add_u8)
PATTERNS(add_u16)
PATTERNS(add_u32)
PATTERNS(inc)
PATTERNS(add_call)
PATTERNS(write_word)
PATTERNS(read_word)
PATTERNS(sum)

/* What every policy is held against, and the library's add, all twice. */
#define YARDSTICKS(pattern)                                                    \
	{                                                                      \
		"tls_inc",                                                     \
		"thread-local ++",                                             \
		pattern##_tls_inc,                                             \
		&own_place,                                                    \
		NULL,                                                          \
		0,                                                             \
		0                                                              \
	},                                                                     \
		{ "tls_inc_again",                                             \
		  "thread-local ++, again",                                    \
		  pattern##_tls_inc,                                           \
		  &own_place,                                                  \
		  "tls_inc",                                                   \
		  0,                                                           \
		  0 },                                                         \
		{ "percpu_add",                                                \
		  "percpu_add",                                                \
		  pattern##_add,                                               \
		  &percpu_place,                                               \
		  NULL,                                                        \
		  0,                                                           \
		  0 },                                                         \
		{ "percpu_add_again",                                          \
		  "percpu_add, again",                                         \
		  pattern##_add,                                               \
		  &percpu_place_again,                                         \
		  "percpu_add",                                                \
		  0,                                                           \
		  0 },                                                         \
	{                                                                      \
		"lock_add_own", "lock add on an own line", pattern##_lock_add, \
			&own_place, NULL, 0, 0                                 \
	}

#define SHARED_LINE(pattern)                                                   \
	{                                                                      \
		"lock_add_shared", "lock add on one line for all",             \
			pattern##_lock_add, &shared_place, NULL, 0, 0          \
	}

/* NAME, what it is, its kernel: one more of the library's operations. */
#define LIBRARY(name, what, run)                                               \
	{                                                                      \
		name, what, run, &percpu_place, NULL, 0, 0                     \
	}

#define OPERATIONS(pattern)                                                    \
	LIBRARY("percpu_inc", "percpu_inc", pattern##_inc),                    \
		LIBRARY("percpu_add_u64", "percpu_add_u64 (a call)",           \
			pattern##_add_call),                                   \
		LIBRARY("percpu_add_4_bytes", "percpu_add, 4 bytes",           \
			pattern##_add_u32),                                    \
		LIBRARY("percpu_add_2_bytes", "percpu_add, 2 bytes",           \
			pattern##_add_u16),                                    \
		LIBRARY("percpu_add_1_byte", "percpu_add, 1 byte",             \
			pattern##_add_u8),                                     \
		LIBRARY("percpu_write", "percpu_write", pattern##_write_word), \
		LIBRARY("percpu_read", "percpu_read", pattern##_read_word),    \
		LIBRARY("percpu_sum", "percpu_sum (all slots)", pattern##_sum)

static const struct variant rotating[] = { YARDSTICKS(rotating),
					   OPERATIONS(rotating),
					   SHARED_LINE(rotating) };
static const struct variant same_word[] = { YARDSTICKS(same), OPERATIONS(same),
					    SHARED_LINE(same) };
static const struct variant rotating_short[] = { YARDSTICKS(rotating) };
static const struct variant same_word_short[] = { YARDSTICKS(same) };

static const struct ratio default_ratios[] = {
	{ "percpu_add_over_tls_inc", "percpu_add", "tls_inc", GOAL_AT_MOST,
	  2.3 },
	{ "lock_add_own_over_percpu_add", "lock_add_own", "percpu_add",
	  GOAL_AT_LEAST, 3.3 },
	{ "lock_add_shared_over_percpu_add", "lock_add_shared", "percpu_add",
	  GOAL_NONE, 0 },
};
static const struct ratio atomic_ratios[] = {
	{ "atomic_policy_over_lock_add_own", "percpu_add", "lock_add_own",
	  GOAL_AT_MOST, 1.3 },
};
static const struct ratio shared_ratios[] = {
	{ "shared_policy_over_lock_add_own", "percpu_add", "lock_add_own",
	  GOAL_NONE, 0 },
};
static const struct ratio cid_ratios[] = {
	{ "cid_index_over_tls_inc", "percpu_add", "tls_inc", GOAL_NONE, 0 },
};

/* The four comparisons of one policy, which differ in variants and ratios. */
static void run_all(const struct bench *b, const struct variant *rotate,
		    const struct variant *same, unsigned nr_variants,
		    const struct ratio *ratios, unsigned nr_ratios)
{
	const struct comparison all[] = {
		{ "rotating_1_thread", "eight words in turn, 1 thread",
		  "operation", 1, rotate, nr_variants, ratios, nr_ratios, 5e4,
		  NULL, false },
		{ "same_word_1_thread", "the same word, 1 thread", "operation",
		  1, same, nr_variants, ratios, nr_ratios, 5e4, NULL, false },
		{ "rotating_2_threads", "eight words in turn, 2 threads",
		  "operation", 2, rotate, nr_variants, ratios, nr_ratios, 5e4,
		  NULL, false },
		{ "same_word_2_threads", "the same word, 2 threads",
		  "operation", 2, same, nr_variants, ratios, nr_ratios, 5e4,
		  NULL, false },
	};
	struct row PERCPU *first = percpu_new(struct row);
	struct row PERCPU *again = percpu_new(struct row);

	percpu_place.base = (char *)(uintptr_t)first;
	percpu_place_again.base = (char *)(uintptr_t)again;
	compare_all(b, all, COUNT(all), first != NULL && again != NULL);
	percpu_free(again);
	percpu_free(first);
}

static void run_default(const struct bench *b)
{
	run_all(b, rotating, same_word, COUNT(rotating), default_ratios,
		COUNT(default_ratios));
	ops_value_run(b);
	ops_multi_run(b);
}

static void run_atomic(const struct bench *b)
{
	run_all(b, rotating_short, same_word_short, COUNT(rotating_short),
		atomic_ratios, COUNT(atomic_ratios));
}

static void run_shared(const struct bench *b)
{
	run_all(b, rotating_short, same_word_short, COUNT(rotating_short),
		shared_ratios, COUNT(shared_ratios));
}

static void run_cid(const struct bench *b)
{
	run_all(b, rotating_short, same_word_short, COUNT(rotating_short),
		cid_ratios, COUNT(cid_ratios));
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run_default },
	{ "atomic", PERCPU_POLICY_ATOMIC, PERCPU_INDEX_CPU, run_atomic },
	{ "shared", PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU, run_shared },
	{ "cid", PERCPU_POLICY_RSEQ, PERCPU_INDEX_CID, run_cid },
};

const struct experiment experiment_ops = {
	.name = "ops",
	.what = "one operation, beside a thread-local ++ and a locked add",
	.story =
		"  Eight words in turn, each on a line of its own, show what "
		"an operation costs;\n"
		"  the same word again and again shows how soon it can follow "
		"itself. The slot\n"
		"  policies atomic and shared, and the index cid, are measured "
		"in processes of\n"
		"  their own. A bar that ends in » is longer than the page.\n",
	.short_ratio = "lock_add_own_over_percpu_add",
	.short_from = "rotating_1_thread",
	.parts = parts,
	.nr_parts = COUNT(parts),
};

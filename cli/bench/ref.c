/* SPDX-License-Identifier: MIT */
/*
 * ref.c: what it costs to get a reference and put it again.
 *
 * One thread: beside two increments of a thread-local word, which is what the
 * count of a program without threads would take, and beside two per-CPU adds,
 * which cost what a reference costs but for its mode. Two threads: beside one
 * atomic word for both. Eight references in turn, and a hundred, of which the
 * adaptive ones begin as atomic words, and are what contention has made of
 * them.
 *
 * Then what a million idle adaptive references take in memory, and how long it
 * takes to kill ten thousand, one by one and all at once.
 */
#include "ops.h"
#include "ref_kill.h"

#define FEW 8u
#define MANY 104u /* a multiple of HARNESS_GRAIN above a hundred */

static __thread struct row mine;

static struct {
	struct word of[MANY];
} HARNESS_APART shared;

/* As many words per CPU. */
static struct row PERCPU *words;

static struct percpu_ref plain[MANY], adaptive[MANY];
static struct percpu_ref alone[FEW]; /* adaptive, of one thread at a time */

static void release(struct percpu_ref *ref)
{
	(void)ref;
}

ALWAYS_INLINE void tls_pair(unsigned k)
{
	mine.of[k % FEW].n++;
	__asm__ volatile("" : "+m"(mine.of[k % FEW].n));
	mine.of[k % FEW].n--;
	__asm__ volatile("" : "+m"(mine.of[k % FEW].n));
}

ALWAYS_INLINE void word_pair(unsigned k)
{
	__atomic_fetch_add(&shared.of[k].n, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&shared.of[k].n, 1, __ATOMIC_ACQ_REL);
}

ALWAYS_INLINE void add_pair(unsigned k)
{
	percpu_add(&words->of[k % FEW].n, 1);
	percpu_sub(&words->of[k % FEW].n, 1);
}

ALWAYS_INLINE void pair(struct percpu_ref *ref)
{
	percpu_ref_get(ref);
	percpu_ref_put(ref);
}

ALWAYS_INLINE void plain_pair(unsigned k)
{
	pair(&plain[k]);
}

ALWAYS_INLINE void adaptive_pair(unsigned k)
{
	pair(&adaptive[k]);
}

ALWAYS_INLINE void alone_pair(unsigned k)
{
	pair(&alone[k % FEW]);
}

/* @op on @count references in turn, eight at a time. */
#define IN_TURN(name, op, count)                                               \
	__attribute__((noinline, aligned(64))) static void name(               \
		void *arg, unsigned thread, uint64_t ops)                      \
	{                                                                      \
		unsigned at = 0;                                               \
                                                                               \
		(void)arg;                                                     \
		(void)thread;                                                  \
		for (; ops != 0; ops -= HARNESS_GRAIN) {                       \
			op(at + 0);                                            \
			op(at + 1);                                            \
			op(at + 2);                                            \
			op(at + 3);                                            \
			op(at + 4);                                            \
			op(at + 5);                                            \
			op(at + 6);                                            \
			op(at + 7);                                            \
			at = at + 8 < (count) ? at + 8 : 0;                    \
		}                                                              \
	}

IN_TURN(few_tls, tls_pair, FEW)
IN_TURN(few_word, word_pair, FEW)
IN_TURN(few_add, add_pair, FEW)
IN_TURN(few_plain, plain_pair, FEW)
IN_TURN(few_alone, alone_pair, FEW)
IN_TURN(few_adaptive, adaptive_pair, FEW)
IN_TURN(many_tls, tls_pair, MANY)
IN_TURN(many_plain, plain_pair, MANY)
IN_TURN(many_adaptive, adaptive_pair, MANY)

#define VARIANT(name, what, run)                                               \
	{                                                                      \
		name, what, run, NULL, NULL, 0, 0                              \
	}

static const struct variant one[] = {
	VARIANT("tls", "two thread-local increments", few_tls),
	{ "tls_again", "the same, again", few_tls, NULL, "tls", 0, 0 },
	VARIANT("add", "percpu_add, percpu_sub", few_add),
	VARIANT("ref", "percpu_ref_get, percpu_ref_put", few_plain),
	VARIANT("adaptive", "adaptive, of one thread", few_alone),
	VARIANT("word", "two locked adds", few_word),
};
static const struct ratio one_ratios[] = {
	{ "ref_over_tls", "ref", "tls", GOAL_AT_MOST, 2.5 },
	{ "ref_over_add", "ref", "add", GOAL_AT_MOST, 1.3 },
};

static const struct variant two[] = {
	VARIANT("tls", "two thread-local increments", few_tls),
	VARIANT("ref", "percpu_ref_get, percpu_ref_put", few_plain),
	{ "ref_again", "the same, again", few_plain, NULL, "ref", 0, 0 },
	VARIANT("adaptive", "adaptive", few_adaptive),
	VARIANT("word", "one atomic word for both", few_word),
};
static const struct ratio two_ratios[] = {
	{ "ref_over_tls", "ref", "tls", GOAL_AT_MOST, 2.5 },
	{ "word_over_ref", "word", "ref", GOAL_AT_LEAST, 8 },
	{ "adaptive_over_ref", "adaptive", "ref", GOAL_AT_MOST, 1.3 },
};

static const struct variant hundred[] = {
	VARIANT("tls", "two thread-local increments", many_tls),
	VARIANT("ref", "percpu_ref_get, percpu_ref_put", many_plain),
	{ "ref_again", "the same, again", many_plain, NULL, "ref", 0, 0 },
	VARIANT("adaptive", "adaptive", many_adaptive),
};
static const struct ratio hundred_ratios[] = {
	{ "adaptive_over_ref", "adaptive", "ref", GOAL_AT_MOST, 1.3 },
};

static const struct comparison comparisons[] = {
	{ "pairs_1_thread", "get and put, eight references, 1 thread", "pair",
	  1, one, COUNT(one), one_ratios, COUNT(one_ratios), 5e4, NULL, false },
	{ "pairs_2_threads", "get and put, eight references, 2 threads", "pair",
	  2, two, COUNT(two), two_ratios, COUNT(two_ratios), 5e4, NULL, false },
	{ "hundred_2_threads", "get and put, a hundred references, 2 threads",
	  "pair", 2, hundred, COUNT(hundred), hundred_ratios,
	  COUNT(hundred_ratios), 5e4, NULL, false },
};

static bool make(struct percpu_ref *ref, unsigned n, unsigned flags)
{
	bool made = true;

	for (unsigned i = 0; i < n; i++)
		made = percpu_ref_init(&ref[i], release, flags) == 0 && made;
	return made;
}

static void run_default(const struct bench *b)
{
	bool made = make(plain, MANY, 0);

	words = percpu_new(struct row);
	made = made && words != NULL;
	make(adaptive, MANY, PERCPU_REF_ADAPTIVE);
	make(alone, FEW, PERCPU_REF_ADAPTIVE);
	compare_all(b, comparisons, COUNT(comparisons), made);
	ref_kill_run(b);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run_default },
};

const struct experiment experiment_ref = {
	.name = "ref",
	.what = "reference counts, beside thread-local ++ and one atomic word",
	.story = "  A pair takes a reference and puts it back. Adaptive ones "
		 "are atomic words until\n"
		 "  two threads fight for them.\n",
	.short_ratio = "word_over_ref",
	.short_from = "pairs_2_threads",
	.parts = parts,
	.nr_parts = COUNT(parts),
};

/* SPDX-License-Identifier: MIT */
/*
 * ops_multi.c: what several adds at once cost.
 *
 *   blocks    2, 4 or 8 adjacent fields beside one, on eight lines in turn;
 *             the values are constants. An operation is one block.
 *   anywhere  eight adds to eight objects, by percpu_add_all and one by one: to
 *             words that grow by constants, and of mixed widths by values known
 *             at run time, one of them negative. An operation is one add.
 */
#include "ops.h"

struct block {
	uint64_t field[8];
} __attribute__((aligned(64)));

struct lines {
	struct block of[8];
} __attribute__((aligned(64)));

static struct lines PERCPU *lines;
static struct block PERCPU *object[8];
static volatile int64_t value[8] = { 1, 1500, 3, 64, -5, 6, 1, 9 };

#define KERNEL(name)                                                           \
	__attribute__((noinline, aligned(64))) static void name(               \
		void *arg, unsigned thread, uint64_t ops)

/* Eight times, on line after line. */
#define IN_TURN(name, op)                                                      \
	KERNEL(name)                                                           \
	{                                                                      \
		struct lines PERCPU *l = lines;                                \
                                                                               \
		(void)arg;                                                     \
		(void)thread;                                                  \
		for (; ops != 0; ops -= HARNESS_GRAIN) {                       \
			op(&l->of[0].field[0]);                                \
			op(&l->of[1].field[0]);                                \
			op(&l->of[2].field[0]);                                \
			op(&l->of[3].field[0]);                                \
			op(&l->of[4].field[0]);                                \
			op(&l->of[5].field[0]);                                \
			op(&l->of[6].field[0]);                                \
			op(&l->of[7].field[0]);                                \
		}                                                              \
	}

#define ONE(p) percpu_add(p, 1)
#define TWO(p) percpu_add_block(p, 1, 1500)
#define FOUR(p) percpu_add_block(p, 1, 1500, 2, 3)
#define EIGHT(p) percpu_add_block(p, 1, 1500, 2, 3, 4, 5, 6, 7)

IN_TURN(one_in_turn, ONE)
IN_TURN(two_in_turn, TWO)
IN_TURN(four_in_turn, FOUR)
IN_TURN(eight_in_turn, EIGHT)

static inline void PERCPU *at(unsigned k)
{
	return object[k];
}

#define OF(type, k) ((type PERCPU *)at(k))

KERNEL(single_growing)
{
	(void)arg;
	(void)thread;
	for (; ops != 0; ops -= HARNESS_GRAIN) {
		percpu_add(OF(uint64_t, 0), 1);
		percpu_add(OF(uint64_t, 1), 1500);
		percpu_add(OF(uint64_t, 2), 3);
		percpu_add(OF(uint64_t, 3), 4);
		percpu_add(OF(uint64_t, 4), 5);
		percpu_add(OF(uint64_t, 5), 6);
		percpu_add(OF(uint64_t, 6), 7);
		percpu_add(OF(uint64_t, 7), 8);
	}
}

KERNEL(all_growing)
{
	(void)arg;
	(void)thread;
	for (; ops != 0; ops -= HARNESS_GRAIN)
		percpu_add_all(OF(uint64_t, 0), 1, OF(uint64_t, 1), 1500,
			       OF(uint64_t, 2), 3, OF(uint64_t, 3), 4,
			       OF(uint64_t, 4), 5, OF(uint64_t, 5), 6,
			       OF(uint64_t, 6), 7, OF(uint64_t, 7), 8);
}

KERNEL(single_mixed)
{
	(void)arg;
	(void)thread;
	for (; ops != 0; ops -= HARNESS_GRAIN) {
		percpu_add(OF(uint64_t, 0), value[0]);
		percpu_add(OF(uint32_t, 1), value[1]);
		percpu_add(OF(uint16_t, 2), value[2]);
		percpu_add(OF(uint8_t, 3), value[3]);
		percpu_add(OF(int64_t, 4), value[4]);
		percpu_add(OF(int32_t, 5), value[5]);
		percpu_add(OF(int16_t, 6), value[6]);
		percpu_add(OF(int8_t, 7), value[7]);
	}
}

KERNEL(all_mixed)
{
	(void)arg;
	(void)thread;
	for (; ops != 0; ops -= HARNESS_GRAIN)
		percpu_add_all(
			OF(uint64_t, 0), value[0], OF(uint32_t, 1), value[1],
			OF(uint16_t, 2), value[2], OF(uint8_t, 3), value[3],
			OF(int64_t, 4), value[4], OF(int32_t, 5), value[5],
			OF(int16_t, 6), value[6], OF(int8_t, 7), value[7]);
}

#define VARIANT(name, what, run)                                               \
	{                                                                      \
		name, what, run, NULL, NULL, 0, 0                              \
	}

static const struct variant blocks[] = {
	VARIANT("percpu_add", "percpu_add", one_in_turn),
	{ "percpu_add_again", "percpu_add, again", one_in_turn, NULL,
	  "percpu_add", 0, 0 },
	VARIANT("block_2", "percpu_add_block of 2", two_in_turn),
	VARIANT("block_4", "percpu_add_block of 4", four_in_turn),
	VARIANT("block_8", "percpu_add_block of 8", eight_in_turn),
};
static const struct ratio block_ratios[] = {
	{ "block_2_over_one", "block_2", "percpu_add", GOAL_AT_MOST, 1.3 },
	{ "block_4_over_one", "block_4", "percpu_add", GOAL_AT_MOST, 1.3 },
	{ "block_8_over_one", "block_8", "percpu_add", GOAL_AT_MOST, 1.6 },
};

static const struct variant anywhere[] = {
	VARIANT("growing_single", "eight that grow, one by one",
		single_growing),
	VARIANT("growing_all", "the same by percpu_add_all", all_growing),
	VARIANT("mixed_single", "eight mixed ones, one by one", single_mixed),
	{ "mixed_single_again", "the same, again", single_mixed, NULL,
	  "mixed_single", 0, 0 },
	VARIANT("mixed_all", "the same by percpu_add_all", all_mixed),
};
static const struct ratio anywhere_ratios[] = {
	{ "growing_all_over_single", "growing_all", "growing_single",
	  GOAL_AT_MOST, 0.8 },
	{ "mixed_all_over_single", "mixed_all", "mixed_single", GOAL_AT_MOST,
	  1.0 },
};

static const struct comparison comparisons[] = {
	{ "blocks_1_thread", "adjacent fields, 1 thread", "operation", 1,
	  blocks, COUNT(blocks), block_ratios, COUNT(block_ratios), 5e4, NULL,
	  false },
	{ "anywhere_1_thread", "eight adds to eight objects, 1 thread", "add",
	  1, anywhere, COUNT(anywhere), anywhere_ratios, COUNT(anywhere_ratios),
	  5e4, NULL, false },
};

static bool make_objects(void)
{
	bool made = true;

	lines = percpu_new(struct lines);
	for (unsigned i = 0; i < 8; i++) {
		object[i] = percpu_new(struct block);
		made = made && object[i] != NULL;
	}
	return made && lines != NULL;
}

void ops_multi_run(const struct bench *b)
{
	bool made = make_objects();

	compare_all(b, comparisons, COUNT(comparisons), made);
	for (unsigned i = 0; i < 8; i++)
		percpu_free(object[i]);
	percpu_free(lines);
}

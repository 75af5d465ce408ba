/* SPDX-License-Identifier: MIT */
/*
 * multi_ops.c: stress_op by several adds at once, for totals.c: each add of
 * percpu_add_all, of any width and sign, and each field of percpu_add_block,
 * happens exactly once. Fields of a block, which all get the same, stay the
 * same in each unit where they move together.
 */
#include "check.h"
#include "stress.h"

#include <unistd.h>

static struct blocks {
	uint64_t eight[8];
	uint64_t four[4];
	uint64_t two[2];
} __attribute__((aligned(64))) PERCPU *blocks;
static uint64_t blocks_added;

/* Have blocks stored as where the processor has at most so many bytes. */
static void store_at_most(const char *word)
{
	unsigned bytes = word == NULL ? 64 : (unsigned)atoi(word);

	if (percpu__rt.vector > bytes)
		percpu__rt.vector = bytes;
	if (bytes < 64)
		percpu__rt.limit_64 = 0;
	if (bytes < 32)
		percpu__rt.limit_32 = 0;
	if (bytes < 16)
		percpu__rt.limit_16 = 0;
}

__attribute__((constructor)) static void start(void)
{
	blocks = percpu_new(struct blocks);
	CHECK(blocks != NULL);
	store_at_most(getenv("STRESS_STORES"));
}

static void cool(const void *line)
{
#if defined(__x86_64__)
	__builtin_ia32_clflush(line);
#else
	(void)line;
#endif
}

static void add_blocks(uint64_t v)
{
	percpu_add_block(blocks->eight, v, v, v, v, v, v, v, v);
	cool(percpu_this_ptr(blocks));
	percpu_add_block(blocks->four, v, v, v, v);
	percpu_add_block(blocks->two, v, v);
	percpu_add_block_u64(blocks->eight,
			     (uint64_t[]){ v, v, v, v, v, v, v, v }, 8);
	__atomic_fetch_add(&blocks_added, v, __ATOMIC_RELAXED);
}

void stress_op(struct stress_object PERCPU *h, uint64_t PERCPU *own,
	       uint64_t random, uint64_t *added)
{
	int64_t v = (int64_t)random >> (random >> 6) % 56;

	for (int i = 0; i < STRESS_BURST; i++) {
		cool(i % 2 == 0 ? (const void *)&percpu__rt :
				  (const void *)percpu_this_ptr(own));
		percpu_add_all(&h->byte, v, &h->two, -v, &h->ops, 1, &h->four,
			       v, own, 1, &h->eight, v, &h->odd, -1, &h->last,
			       v);
		percpu_add_all(&h->late_four, 77, &h->late_two, v);
		added[0] += (uint64_t)v;
		added[1] -= (uint64_t)v;
		added[2] += (uint64_t)v;
		added[3] += (uint64_t)v;
		added[4] += 77;
		added[5] += (uint64_t)v;
		added[6] -= 1;
		added[7] += (uint64_t)v;
	}
	add_blocks(random);
}

static void check_block(uint64_t PERCPU *p, unsigned n, uint64_t v)
{
	bool whole = percpu_backend(NULL) == PERCPU_MODE_RSEQ &&
		     percpu__rt.vector >= 8 * n;

	for (unsigned i = 0; i < n; i++)
		if (percpu_sum(p + i) != v)
			_exit(TEST_FAIL);
	for (unsigned slot = 0; whole && slot < percpu_nr_slots(); slot++)
		for (unsigned i = 1; i < n; i++)
			if (percpu_ptr(p, slot)[i] != *percpu_ptr(p, slot))
				_exit(TEST_FAIL);
}

__attribute__((destructor)) static void check(void)
{
	check_block(blocks->eight, 8, 2 * blocks_added);
	check_block(blocks->four, 4, blocks_added);
	check_block(blocks->two, 2, blocks_added);
}

/* SPDX-License-Identifier: MIT */
/*
 * A chunk's book against a naive one, over 100,000 random takes and gives: the
 * lowest run that fits is taken, what is taken overlaps nothing and is aligned,
 * and the counts, the lowest free grain and the fresh ones are as chunk.c says.
 */
#include "chunk.h"
#include "check.h"
#include "os.h"

#include <percpu/base.h>

#include <stdbool.h>
#include <string.h>

struct percpu__rt percpu__rt;

#define STEPS 100000u
#define GRAINS_MAX (3u * 65536u / PERCPU__GRAIN)

/* The naive book: for each grain the first one of its object + 1, 0 if free. */
static uint32_t object[GRAINS_MAX];
static uint32_t grains;
static uint32_t fresh;

static uint64_t random_state = 1;

static uint32_t pick(uint32_t below)
{
	random_state =
		random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % below);
}

static bool is_free(uint32_t first, uint32_t count)
{
	if (count > grains - first)
		return false;
	for (uint32_t i = first; i < first + count; i++)
		if (object[i] != 0)
			return false;
	return true;
}

/* The lowest fit, grains if there is none. */
static uint32_t naive_fit(uint32_t count, uint32_t align)
{
	for (uint32_t i = 0; i < grains; i += align)
		if (object[i] == 0 && is_free(i, count))
			return i;
	return grains;
}

static uint32_t naive_recycled(uint32_t first, uint32_t count)
{
	if (first >= fresh)
		return 0;
	return fresh - first < count ? fresh - first : count;
}

static void take(struct percpu__chunk *c, uint32_t count, uint32_t align)
{
	struct percpu__run run = { .count = count };
	uint32_t want = naive_fit(count, align);
	bool taken = percpu__chunk_take(c, &run, align);

	CHECK_EQ(taken, want != grains);
	if (!taken)
		return;
	CHECK_EQ(run.first, want);
	CHECK_EQ(run.count, count);
	CHECK_EQ(run.recycled, naive_recycled(want, count));
	for (uint32_t i = want; i < want + count; i++)
		object[i] = want + 1;
	if (want + count > fresh)
		fresh = want + count;
}

/* Give the object that the grain at or after a random one belongs to. */
static void give(struct percpu__chunk *c)
{
	uint32_t i = pick(grains);
	uint32_t first;

	while (i < grains && object[i] == 0)
		i++;
	if (i == grains)
		return;
	first = object[i] - 1;
	percpu__chunk_give(c, first);
	for (i = first; i < grains && object[i] == first + 1; i++)
		object[i] = 0;
}

static enum percpu__grain naive_state(uint32_t i)
{
	if (object[i] == 0)
		return PERCPU__GRAIN_FREE;
	return object[i] == i + 1 ? PERCPU__GRAIN_START : PERCPU__GRAIN_INSIDE;
}

static void check_book(const struct percpu__chunk *c)
{
	uint32_t free = 0;

	CHECK_EQ(c->grains, grains);
	CHECK_EQ(c->fresh, fresh);
	for (uint32_t i = 0; i < grains; i++) {
		free += object[i] == 0;
		if (object[i] == 0)
			CHECK(i >= c->low);
		CHECK_EQ(percpu__chunk_state(c, i), naive_state(i));
	}
	CHECK_EQ(c->free, free);
}

static void give_all(struct percpu__chunk *c)
{
	for (uint32_t i = 0; i < grains; i++)
		if (object[i] == i + 1)
			percpu__chunk_give(c, i);
	memset(object, 0, sizeof(object));
	check_book(c);
	CHECK_EQ(c->free, grains);
	CHECK_EQ(c->low, 0);
}

/* Sizes as programs have them: mostly small, now and then a large one. */
static uint32_t random_count(void)
{
	switch (pick(16)) {
	case 0: return 1 + pick(grains);
	case 1:
	case 2: return 1 + pick(200);
	default: return 1 + pick(20);
	}
}

int main(void)
{
	struct percpu__chunk *c;

	percpu__rt.nr_slots = 2;
	percpu__rt.stride = 3 * percpu__os_page_size();
	grains = (uint32_t)(percpu__rt.stride / PERCPU__GRAIN);
	CHECK(grains <= GRAINS_MAX);
	c = percpu__chunk_create();
	CHECK(c != NULL);
	check_book(c);
	for (uint32_t step = 0; step < STEPS; step++) {
		/* The level rises and falls, and reaches both ends. */
		if (pick(100) < (step / 5000 % 2 == 0 ? 60u : 45u))
			take(c, random_count(), 1u << pick(7));
		else
			give(c);
		if (step % 32 == 0)
			check_book(c);
		if (step % 20011 == 20010)
			give_all(c);
	}
	give_all(c);
	take(c, grains, 1);
	take(c, 1, 1);
	check_book(c);
	percpu__chunk_destroy(c);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * bits.c: every range of a bitmap of a few words, whichever words it starts
 * and ends in, is marked, searched and counted as a bit at a time would be.
 */
#include "bits.h"
#include "check.h"
#include "random.h"

#include <string.h>

/* Three whole words and a part of a fourth. */
#define BITS 200u

static uint64_t *map; /* no word longer than it must be */
static bool model[BITS];

static void set_bit(uint32_t i, bool value)
{
	uint64_t bit = 1ull << i % 64;

	model[i] = value;
	map[i / 64] = value ? map[i / 64] | bit : map[i / 64] & ~bit;
}

/* Each bit is set once in @n times; never for 0. */
static void fill(uint64_t *random, unsigned n)
{
	memset(map, 0, percpu__bits_words(BITS) * sizeof(*map));
	for (uint32_t i = 0; i < BITS; i++)
		set_bit(i, n != 0 && one_in(random, n));
}

static void check_same(void)
{
	for (uint32_t i = 0; i < BITS; i++)
		if (percpu__bits_test(map, i) != model[i])
			FAIL("bit %u is %d", i, !model[i]);
}

/* Words are as many as it takes. */
static void words(void)
{
	CHECK_EQ(percpu__bits_words(0), 0);
	CHECK_EQ(percpu__bits_words(1), 1);
	CHECK_EQ(percpu__bits_words(64), 1);
	CHECK_EQ(percpu__bits_words(65), 2);
	CHECK_EQ(percpu__bits_words(BITS), 4);
}

/* A range is set or cleared, and no bit beside it. */
static void mark(uint64_t *random)
{
	for (uint32_t from = 0; from < BITS; from++)
		for (uint32_t end = from + 1; end <= BITS; end++) {
			bool value = one_in(random, 2);

			percpu__bits_mark(map, from, end - from, value);
			memset(model + from, value, end - from);
			check_same();
			set_bit(pick(random, BITS), !value);
		}
}

static uint32_t find(bool value, uint32_t from, uint32_t end)
{
	while (from < end && model[from] != value)
		from++;
	return from;
}

static uint32_t after_last(uint32_t from, uint32_t end)
{
	while (end > from && !model[end - 1])
		end--;
	return end;
}

static uint32_t count(uint32_t from, uint32_t end)
{
	uint32_t n = 0;

	for (; from < end; from++)
		n += model[from];
	return n;
}

/* The first bit of either value, the last, and the count of each range. */
static void search(void)
{
	for (uint32_t from = 0; from <= BITS; from++)
		for (uint32_t end = from; end <= BITS; end++) {
			CHECK_EQ(percpu__bits_find(map, true, from, end),
				 find(true, from, end));
			CHECK_EQ(percpu__bits_find(map, false, from, end),
				 find(false, from, end));
			CHECK_EQ(percpu__bits_after_last(map, from, end),
				 after_last(from, end));
			CHECK_EQ(percpu__bits_count(map, from, end),
				 count(from, end));
		}
}

/* A bit that is alone is found from everywhere. */
static void search_alone(void)
{
	static const uint32_t edges[] = { 0, 1, 63, 64, 127, 128, 192, 199 };
	uint64_t random = 0;

	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		fill(&random, 0);
		set_bit(edges[i], true);
		search();
		fill(&random, 1);
		set_bit(edges[i], false);
		search();
	}
}

int main(void)
{
	uint64_t random = 1;

	map = calloc(percpu__bits_words(BITS), sizeof(*map));
	CHECK(map != NULL);
	words();
	for (unsigned n = 0; n <= 40; n = 3 * n + 1) {
		fill(&random, n);
		search();
		mark(&random);
	}
	search_alone();
	free(map);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
#include "bits.h"

#define BITS PERCPU__WORD_BITS

/* The bits of @map's word that holds @i which lie in [i, end). */
static uint64_t window(uint32_t i, uint32_t end)
{
	uint32_t n = BITS - i % BITS;

	if (n > end - i)
		n = end - i;
	return (n == BITS ? ~0ull : (1ull << n) - 1) << i % BITS;
}

static uint32_t next_word(uint32_t i)
{
	return (i / BITS + 1) * BITS;
}

void percpu__bits_mark(uint64_t *map, uint32_t i, uint32_t count, bool set)
{
	uint64_t *word = &map[i / BITS];
	uint32_t at = i % BITS;
	uint64_t mask = ~0ull << at;

	for (; at + count > BITS; word++, mask = ~0ull, at = 0) {
		*word = set ? *word | mask : *word & ~mask;
		count -= BITS - at;
	}
	mask &= ~0ull >> (BITS - at - count);
	*word = set ? *word | mask : *word & ~mask;
}

uint32_t percpu__bits_find(const uint64_t *map, bool value, uint32_t from,
			   uint32_t end)
{
	while (from < end) {
		uint64_t word = map[from / BITS];

		word = (value ? word : ~word) >> from % BITS;
		if (word != 0) {
			from += (uint32_t)__builtin_ctzll(word);
			return from < end ? from : end;
		}
		from = next_word(from);
	}
	return end;
}

uint32_t percpu__bits_after_last(const uint64_t *map, uint32_t from,
				 uint32_t end)
{
	while (end > from) {
		uint32_t base = (end - 1) / BITS * BITS;
		uint64_t word = map[base / BITS];

		if (end - base < BITS)
			word &= (1ull << (end - base)) - 1;
		if (word != 0) {
			end = base + BITS - (uint32_t)__builtin_clzll(word);
			return end > from ? end : from;
		}
		end = base;
	}
	return from;
}

uint32_t percpu__bits_count(const uint64_t *map, uint32_t from, uint32_t end)
{
	uint32_t count = 0;

	for (; from < end; from = next_word(from))
		count += (uint32_t)__builtin_popcountll(map[from / BITS] &
							window(from, end));
	return count;
}

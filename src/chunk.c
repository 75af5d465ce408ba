/* SPDX-License-Identifier: MIT */
/*
 * chunk.c: one mapping, one unit per slot.
 *
 *   base          + stride                       + (slots + 1) * stride
 *   |             |                              |             |
 *   v             v                              v             v
 *   +-------------+----------+--- ... ---+-------+-------------+------+
 *   |    guard    |  unit 0  |           | unit  | shared slot | book |
 *   | (handles)   |          |           | n - 1 |             |      |
 *   +-------------+----------+--- ... ---+-------+-------------+------+
 *   no access     readable, writable, each page made when first written
 *
 * A handle is an address in the guard, so that the same distance from handle
 * to slot holds in every chunk and a dereferenced handle faults. The book lies
 * behind the shared slot: a chunk is two mappings and one munmap.
 *
 * The book is two bitmaps over the grains of a unit (every unit looks alike):
 * used, and starts, which bounds an object to its successor's start or the
 * first unused grain. Search is first fit from the lowest free grain.
 *
 * Invariants, under the caller's lock:
 *   1. free is the count of 0 bits in used[0, grains).
 *   2. starts is a subset of used.
 *   3. No grain below low is free; no grain at or above fresh was ever used,
 *      so those are zero in every slot without being looked at.
 */
#include "chunk.h"

#include "os.h"

#include <percpu/base.h>

#include <string.h>

#define BITS 64u

static bool test(const uint64_t *map, uint32_t i)
{
	return (map[i / BITS] >> i % BITS & 1) != 0;
}

/* Set or clear [i, i + count) of @map. */
static void mark(uint64_t *map, uint32_t i, uint32_t count, bool set)
{
	uint32_t end = i + count;

	while (i < end) {
		uint32_t n = BITS - i % BITS;
		uint64_t bits;

		if (n > end - i)
			n = end - i;
		bits = (n == BITS ? ~0ull : (1ull << n) - 1) << i % BITS;
		if (set)
			map[i / BITS] |= bits;
		else
			map[i / BITS] &= ~bits;
		i += n;
	}
}

/* The first grain of [from, end) whose bit is @value; @end if there is none. */
static uint32_t find(const uint64_t *map, bool value, uint32_t from,
		     uint32_t end)
{
	while (from < end) {
		uint64_t word = map[from / BITS];

		word = (value ? word : ~word) >> from % BITS;
		if (word != 0) {
			from += (uint32_t)__builtin_ctzll(word);
			return from < end ? from : end;
		}
		from = (from / BITS + 1) * BITS;
	}
	return end;
}

static size_t map_words(uint32_t grains)
{
	return (grains + BITS - 1) / BITS;
}

static uint64_t stride(void)
{
	return percpu__rt.stride;
}

/* Bytes of the units and the shared slot. */
static size_t units_len(void)
{
	return (size_t)(stride() * ((uint64_t)percpu__rt.nr_slots + 1));
}

static size_t book_len(void)
{
	size_t page = percpu__os_page_size();
	size_t len = sizeof(struct percpu__chunk) +
		     2 * map_words((uint32_t)(stride() / PERCPU__GRAIN)) *
			     sizeof(uint64_t);

	return (len + page - 1) & ~(page - 1);
}

static size_t mapping_len(void)
{
	return (size_t)stride() + units_len() + book_len();
}

static struct percpu__chunk *open_book(char *base)
{
	char *book = base + stride() + units_len();
	struct percpu__chunk *c = (struct percpu__chunk *)(void *)book;

	c->base = base;
	c->grains = (uint32_t)(stride() / PERCPU__GRAIN);
	c->free = c->grains;
	c->used = (uint64_t *)(void *)(book + sizeof(*c));
	c->starts = c->used + map_words(c->grains);
	return c;
}

struct percpu__chunk *percpu__chunk_create(void)
{
	char *base = percpu__os_reserve(mapping_len());

	if (base == NULL)
		return NULL;
	if (percpu__os_commit(base + stride(), units_len() + book_len()) < 0) {
		percpu__os_release(base, mapping_len());
		return NULL;
	}
	return open_book(base);
}

void percpu__chunk_destroy(struct percpu__chunk *c)
{
	percpu__os_release(c->base, mapping_len());
}

/* The first fit at or above @from; c->grains if there is none. */
static uint32_t fit(const struct percpu__chunk *c, uint32_t from,
		    uint32_t count, uint32_t align)
{
	while (from < c->grains) {
		uint32_t first = find(c->used, false, from, c->grains);
		uint32_t end;

		first = (first + align - 1) & ~(align - 1);
		if (first >= c->grains || c->grains - first < count)
			break;
		end = find(c->used, true, first, first + count);
		if (end == first + count)
			return first;
		from = end + 1;
	}
	return c->grains;
}

bool percpu__chunk_take(struct percpu__chunk *c, struct percpu__run *run,
			uint32_t align)
{
	uint32_t end;

	if (c->free < run->count)
		return false;
	run->first = fit(c, c->low, run->count, align);
	if (run->first == c->grains)
		return false;
	end = run->first + run->count;
	run->recycled = run->first >= c->fresh ? 0 :
			end <= c->fresh	       ? run->count :
						 c->fresh - run->first;
	mark(c->used, run->first, run->count, true);
	mark(c->starts, run->first, 1, true);
	c->free -= run->count;
	c->low = find(c->used, false, c->low, c->grains);
	if (end > c->fresh)
		c->fresh = end;
	return true;
}

enum percpu__grain percpu__chunk_state(const struct percpu__chunk *c,
				       uint32_t grain)
{
	if (!test(c->used, grain))
		return PERCPU__GRAIN_FREE;
	return test(c->starts, grain) ? PERCPU__GRAIN_START :
					PERCPU__GRAIN_INSIDE;
}

void percpu__chunk_give(struct percpu__chunk *c, uint32_t grain)
{
	uint32_t end = find(c->used, false, grain, c->grains);
	uint32_t count = find(c->starts, true, grain + 1, end) - grain;

	mark(c->used, grain, count, false);
	mark(c->starts, grain, 1, false);
	c->free += count;
	if (grain < c->low)
		c->low = grain;
}

static void zero_grains(uint32_t *p, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (p[i] != 0)
			p[i] = 0;
}

void percpu__chunk_zero(const struct percpu__chunk *c, struct percpu__run run)
{
	char *at = c->base + (size_t)run.first * PERCPU__GRAIN;

	for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++) {
		at += stride();
		zero_grains((uint32_t *)(void *)at, run.recycled);
	}
}

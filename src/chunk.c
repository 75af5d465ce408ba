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
 * base is a multiple of a power of two that is a page more than the stride, so
 * that the base, and with it the book, is one mask away from a handle.
 *
 *   book:  struct percpu__chunk | a struct percpu__page per page of a unit |
 *          used: a bit per grain | cells: a byte per 8 bytes
 *
 * For units of 1 MiB that is 160 KiB, of which only what is used is resident:
 * 0.16 bytes for each byte of one unit, whatever the count of units is.
 */
#include "chunk.h"

#include "bits.h"
#include "debug.h"
#include "layout.h"
#include "os.h"

#include <percpu/base.h>

struct percpu__geometry percpu__chunk_geometry;

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static uint32_t log_of(uint32_t power)
{
	return (uint32_t)__builtin_ctz(power);
}

/* Offsets of a book's parts. */
static uint64_t pages_at(void)
{
	return round_up(sizeof(struct percpu__chunk), PERCPU_LINE);
}

static uint64_t used_at(const struct percpu__geometry *g)
{
	return round_up(pages_at() + g->pages * sizeof(struct percpu__page),
			PERCPU_LINE);
}

static uint64_t cells_at(const struct percpu__geometry *g)
{
	return round_up(used_at(g) + percpu__bits_words(g->grains) *
					     sizeof(uint64_t),
			PERCPU_LINE);
}

void percpu__chunk_start(void)
{
	struct percpu__geometry *g = &percpu__chunk_geometry;
	uint32_t slots = percpu__rt.nr_slots;
	uint64_t stride = percpu__rt.stride;

	if (g->len != 0)
		return;
	g->page = (uint32_t)percpu__os_page_size();
	g->page_log = log_of(g->page / PERCPU__GRAIN);
	g->pages = (uint32_t)(stride / g->page);
	g->grains = (uint32_t)(stride / PERCPU__GRAIN);
	g->mask = percpu__layout_align(slots) - 1;
	g->book = ((uint64_t)slots + 2) * stride;
	g->cells = g->book + cells_at(g);
	g->len = round_up(g->cells + stride / PERCPU__CELL, g->page);
}

static struct percpu__chunk *open_book(char *base)
{
	const struct percpu__geometry *g = &percpu__chunk_geometry;
	char *book = base + g->book;
	struct percpu__chunk *c = (struct percpu__chunk *)(void *)book;

	c->base = base;
	c->free = g->grains;
	c->room = g->grains;
	c->gives = 1;
	c->pages = (struct percpu__page *)(void *)(book + pages_at());
	c->used = (uint64_t *)(void *)(book + used_at(g));
	c->cells = (uint8_t *)base + g->cells;
	return c;
}

struct percpu__chunk *percpu__chunk_create(bool filled)
{
	const struct percpu__geometry *g = &percpu__chunk_geometry;
	uint64_t stride = percpu__rt.stride;
	char *base = percpu__os_reserve_aligned(g->len, g->mask + 1);

	if (base == NULL)
		return NULL;
	if (percpu__os_commit(base + stride, g->len - stride) < 0) {
		percpu__os_release(base, g->len);
		return NULL;
	}
	if (!percpu__debug_chunk(base + stride, g->book - stride, true)) {
		percpu__os_release(base, g->len);
		return NULL;
	}
	if (filled)
		percpu__os_populate(base + g->book, g->len - g->book);
	return open_book(base);
}

void percpu__chunk_destroy(struct percpu__chunk *c)
{
	const struct percpu__geometry *g = &percpu__chunk_geometry;
	uint64_t stride = percpu__rt.stride;

	percpu__debug_chunk(c->base + stride, g->book - stride, false);
	percpu__os_release(c->base, g->len);
}

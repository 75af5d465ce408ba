/* SPDX-License-Identifier: MIT */
/*
 * dump.c: a map of the chunks that a person can read.
 *
 *   chunk at 0x7f1234500000: 31 % of 1044480 bytes taken, longest free 719872
 *   |##########93  .......  |
 */
#include "central.h"
#include "registry.h"

#include <percpu/alloc.h>
#include <percpu/cpu.h>

#include <errno.h>
#include <stdlib.h>

#define COLUMNS 64u

/* One page of a unit as a character. */
static char picture(const struct percpu__page *page)
{
	uint32_t all = 1u << percpu__chunk_geometry.page_log;

	if (page->used == all)
		return '#';
	if (page->used != 0)
		return (char)('0' + page->used * 10u / all);
	return page->fresh != 0 ? '.' : ' ';
}

/* What is shown of a chunk, copied under the lock and printed without it. */
struct view {
	const void *base;
	size_t bytes;
	size_t taken;
	size_t room;
	uint32_t pages;
	char picture[PERCPU__PAGES_MAX];
};

/* The next chunk after place *@at of the registry; false if there is none. */
static bool look(size_t *at, struct view *v)
{
	struct percpu__chunk *c;

	percpu__central_enter();
	c = percpu__registry_next(at);
	if (c != NULL) {
		v->base = c->base;
		v->pages = percpu__chunk_geometry.pages;
		v->bytes =
			(size_t)percpu__chunk_geometry.grains * PERCPU__GRAIN;
		v->taken = v->bytes - (size_t)c->free * PERCPU__GRAIN;
		v->room = (size_t)percpu__book_longest(c) * PERCPU__GRAIN;
		for (uint32_t i = 0; i < v->pages; i++)
			v->picture[i] = picture(&c->pages[i]);
	}
	percpu__central_leave();
	return c != NULL;
}

static void print_chunk(FILE *out, const struct view *v)
{
	fprintf(out,
		"chunk at %p: %zu of %zu bytes of a unit taken, longest free run %zu\n",
		v->base, v->taken, v->bytes, v->room);
	for (uint32_t i = 0; i < v->pages; i += COLUMNS) {
		uint32_t n = v->pages - i < COLUMNS ? v->pages - i : COLUMNS;

		fprintf(out, "  |%.*s|\n", (int)n, v->picture + i);
	}
}

static void print_classes(FILE *out, const struct percpu_alloc_stats *s)
{
	fprintf(out, "%10s %12s %12s\n", "size", "live", "at hand");
	for (unsigned i = 0; i < PERCPU_ALLOC_CLASSES; i++) {
		const struct percpu_alloc_class *c = &s->classes[i];

		if (c->live == 0 && c->cached == 0)
			continue;
		if (c->size != 0)
			fprintf(out, "%10zu", c->size);
		else
			fprintf(out, "%10s", "larger");
		fprintf(out, " %12zu %12zu\n", c->live, c->cached);
	}
}

int percpu_dump(FILE *out)
{
	struct percpu_alloc_stats s;
	struct view v;
	size_t at = 0;

	if (out == NULL)
		return -EINVAL;
	percpu_alloc_stats(&s);
	fprintf(out,
		"%zu objects of %zu bytes live, %zu of %zu at hand for CPUs; %zu bytes free in %zu runs; %zu chunks of %u units and the shared slot\n",
		s.live, s.live_bytes, s.cached, s.cached_bytes, s.free_bytes,
		s.free_runs, s.chunks, percpu_nr_slots());
	while (look(&at, &v))
		print_chunk(out, &v);
	if (s.chunks != 0)
		fprintf(out,
			"each character is a page of every unit: # full, 0 to 9 tenths taken, . free, space never used or given back\n");
	print_classes(out, &s);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

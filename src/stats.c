/* SPDX-License-Identifier: MIT */
/*
 * stats.c: counts by looking. The ways that allocate and free count nothing;
 * what they leave in the cells of chunks is read when somebody asks.
 */
#include "bits.h"
#include "cache.h"
#include "central.h"
#include "classes.h"
#include "registry.h"
#include "resident.h"

#include <percpu/alloc.h>
#include <percpu/cpu.h>

#include <string.h>

static void count_object(struct percpu_alloc_stats *s, size_t bytes, bool live)
{
	unsigned class = bytes > PERCPU__BIN_MAX ? PERCPU_ALLOC_CLASSES - 1 :
						   percpu__classes_bin(bytes);

	if (live) {
		s->live++;
		s->live_bytes += bytes;
		s->classes[class].live++;
	} else {
		s->cached++;
		s->cached_bytes += bytes;
		s->classes[class].cached++;
	}
}

static void count_objects(struct percpu_alloc_stats *s,
			  const struct percpu__chunk *c)
{
	uint32_t grain = percpu__book_next_object(c, 0);

	while (grain < percpu__chunk_geometry.grains) {
		uint32_t grains = percpu__book_size(c, grain);

		count_object(s, (size_t)grains * PERCPU__GRAIN,
			     percpu__book_live(c, grain));
		grain = percpu__book_next_object(c, grain + grains);
	}
}

static void count_free(struct percpu_alloc_stats *s,
		       const struct percpu__chunk *c)
{
	uint32_t all = percpu__chunk_geometry.grains;
	uint32_t at = percpu__bits_find(c->used, false, 0, all);

	s->free_bytes += (size_t)c->free * PERCPU__GRAIN;
	while (at < all) {
		uint32_t end = percpu__bits_find(c->used, true, at, all);
		size_t bytes = (size_t)(end - at) * PERCPU__GRAIN;

		s->free_runs++;
		if (s->largest_free < bytes)
			s->largest_free = bytes;
		at = percpu__bits_find(c->used, false, end, all);
	}
}

static void count_chunks(struct percpu_alloc_stats *s)
{
	const struct percpu__geometry *g = &percpu__chunk_geometry;
	struct percpu__chunk *c;
	size_t at = 0;

	while ((c = percpu__registry_next(&at)) != NULL) {
		s->chunks++;
		s->mapped += g->len;
		s->book_bytes += g->len - g->book;
		count_objects(s, c);
		count_free(s, c);
	}
}

void percpu_alloc_stats(struct percpu_alloc_stats *s)
{
	size_t caches;

	memset(s, 0, sizeof(*s));
	for (unsigned i = 0; i + 1 < PERCPU_ALLOC_CLASSES; i++)
		s->classes[i].size = percpu__classes_bytes(i);
	percpu__central_enter();
	count_chunks(s);
	s->peak_bytes = percpu__central_use().peak;
	percpu__central_leave();
	/* Once: they may appear at any moment. */
	caches = percpu__cache_mapped();
	s->mapped += caches;
	s->book_bytes += caches;
}

/* The base of the next chunk after place *@at; NULL if there is none. */
static const char *next_base(size_t *at)
{
	struct percpu__chunk *c;
	const char *base;

	percpu__central_enter();
	c = percpu__registry_next(at);
	base = c != NULL ? c->base : NULL;
	percpu__central_leave();
	return base;
}

size_t percpu_alloc_populated(unsigned slot)
{
	uint64_t stride = percpu_stride();
	const char *base;
	size_t bytes = 0;
	size_t at = 0;

	if (slot > percpu__rt.nr_slots)
		return 0;
	while ((base = next_base(&at)) != NULL)
		bytes += percpu__resident_bytes(
			base + ((uint64_t)slot + 1) * stride, stride);
	return bytes;
}

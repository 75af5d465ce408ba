/* SPDX-License-Identifier: MIT */
/*
 * h3_world.c: devices and routes, and the memory of their counts.
 *
 *   atomic    object: count
 *   table     object: slow, table -> line: piece 0, piece 1 -> a line each
 *   offset    object: slow, handle            unit of a CPU: ..., count, ...
 *   percpu    object: percpu_ref              the same
 *
 * Pieces of one CPU lie in a row, as an allocator that knows nodes puts them.
 *
 * Processors compare a load with the stores before it by their place in a page
 * first. With the one device at the start of a page, where slots are too, the
 * second of two alike took 2.74 ns for a packet where the first took 2.13 (AMD
 * EPYC, Zen 5 class): its slot had the place of the object's handle. So all
 * that lies at a page's start but slots is moved to places of its own.
 */
#include "h3.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE ((size_t)4096)

/* Where they start in a page. */
enum place { OBJECTS = 1024, TABLES = 2048, PIECES = 3072 };

static void *lines(size_t bytes, enum place place)
{
	char *p = aligned_alloc(PAGE, (place + bytes + PAGE - 1) & ~(PAGE - 1));

	if (p == NULL)
		return NULL;
	return memset(p + place, 0, bytes);
}

static void free_lines(void *p)
{
	free((void *)((uintptr_t)p & ~(PAGE - 1)));
}

static int make_tables(struct h3_world *w)
{
	w->tables = lines(w->nr * sizeof(*w->tables), TABLES);
	w->pieces = lines(H3_CPUS * w->nr * sizeof(*w->pieces), PIECES);
	if (w->tables == NULL || w->pieces == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < w->nr; i++) {
		for (unsigned t = 0; t < H3_CPUS; t++)
			w->tables[i].of[t] = &w->pieces[t * w->nr + i];
		w->objects[i].big.table = &w->tables[i];
	}
	return 0;
}

/* Any slots will do that are the threads' own. */
static int make_handles(struct h3_world *w, const int *cpus)
{
	for (unsigned i = 0; i < w->nr; i++) {
		char PERCPU *h = percpu_alloc(sizeof(uint64_t), 8);

		if (h == NULL)
			return -errno;
		w->objects[i].big.handle = h;
		for (unsigned t = 0; t < H3_CPUS; t++)
			w->offset[t] =
				(uintptr_t)percpu_ptr(h, (unsigned)cpus[t]) -
				(uintptr_t)h;
	}
	return 0;
}

static void released(struct percpu_ref *ref)
{
	percpu_ref_exit(ref);
}

static int make_refs(struct h3_world *w)
{
	w->refs = calloc(w->nr, sizeof(struct percpu_ref *));
	if (w->refs == NULL)
		return -ENOMEM;
	for (; w->nr_refs < w->nr; w->nr_refs++) {
		struct percpu_ref *ref = &w->objects[w->nr_refs].ref;
		int err = percpu_ref_init(ref, released, 0);

		if (err != 0)
			return err;
		w->refs[w->nr_refs] = ref;
	}
	return 0;
}

int h3_open(struct h3_world *w, enum h3_way way, unsigned nr, const int *cpus)
{
	memset(w, 0, sizeof(*w));
	w->nr = nr;
	for (unsigned t = 0; t < H3_CPUS; t++)
		w->state[t].random = 88172645463325252u + t;
	w->objects = lines(nr * sizeof(*w->objects), OBJECTS);
	if (w->objects == NULL)
		return -ENOMEM;
	switch (way) {
	case H3_TABLE: return make_tables(w);
	case H3_OFFSET: return make_handles(w, cpus);
	case H3_PERCPU:
	case H3_PERCPU_AGAIN: return make_refs(w);
	default: break;
	}
	for (unsigned i = 0; i < nr; i++)
		w->objects[i].atomic = 1;
	return 0;
}

void h3_close(struct h3_world *w, enum h3_way way)
{
	percpu_ref_kill_many(w->refs, w->nr_refs);
	for (unsigned i = 0; way == H3_OFFSET && i < w->nr; i++)
		if (w->objects != NULL)
			percpu_free(w->objects[i].big.handle);
	free(w->refs);
	free_lines(w->pieces);
	free_lines(w->tables);
	free_lines(w->objects);
}

bool h3_is_exact(const struct h3_world *w)
{
	for (unsigned i = 0; i < w->nr_refs; i++)
		if (percpu_ref_val(w->refs[i]) != 1)
			return false;
	return true;
}

unsigned h3_bytes(enum h3_way way)
{
	switch (way) {
	case H3_ATOMIC: return sizeof(uint32_t);
	case H3_TABLE:
		return 2 * sizeof(uint64_t) + sizeof(struct h3_table) +
		       H3_CPUS * sizeof(struct h3_piece);
	case H3_NONE: return 0;
	/* A unit for each CPU, and the shared slot. */
	default:
		return sizeof(struct percpu_ref) +
		       (H3_CPUS + 1) * sizeof(uint64_t);
	}
}

unsigned h3_bytes_per_cpu(enum h3_way way)
{
	switch (way) {
	case H3_ATOMIC:
	case H3_NONE: return 0;
	case H3_TABLE: return sizeof(struct h3_piece) + sizeof(void *);
	default: return sizeof(uint64_t);
	}
}

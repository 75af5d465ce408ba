/* SPDX-License-Identifier: MIT */
/*
 * h1_layout.c: see h1_layout.h; with two CPUs and lines of 64 bytes this gives
 *
 *   smallest 8 (SLUB), 16-byte objects
 *     | table   | piece 0 | piece 1 |         |     one line
 *   smallest 32 (SLAB)
 *     | table             | piece 0           |     two lines, and the table
 *     | piece 1           |                   |     shares one with a piece
 *   smallest 64 (the cure of 2008)
 *     | table                                 |
 *     | piece 0                               |
 *     | piece 1                               |
 *
 * The table is read for each packet: where it shares a line with a piece, a
 * CPU waits for that line even if its own piece lies alone.
 */
#include "h1_layout.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An arena that only grows. */
#define ARENA 4096

static size_t class_of(size_t size, size_t smallest)
{
	size_t class = smallest;

	while (class < size)
		class *= 2;
	return class;
}

int h1_layout_make(struct h1_layout *l, size_t size, size_t smallest)
{
	char *at = aligned_alloc(ARENA, ARENA);

	if (at == NULL)
		return -ENOMEM;
	memset(at, 0, ARENA);
	l->table = (void **)(void *)at;
	l->table_bytes = class_of(H1_CPUS * sizeof(void *), smallest);
	l->piece_bytes = class_of(size, smallest);
	at += l->table_bytes;
	for (unsigned cpu = 0; cpu < H1_CPUS; cpu++) {
		at += -(uintptr_t)at % l->piece_bytes;
		l->table[cpu] = at;
		at += l->piece_bytes;
	}
	return 0;
}

void h1_layout_free(struct h1_layout *l)
{
	free(l->table);
	l->table = NULL;
}

size_t h1_layout_bytes(const struct h1_layout *l)
{
	return l->table_bytes + H1_CPUS * l->piece_bytes;
}

size_t h1_layout_bytes_per_cpu(const struct h1_layout *l)
{
	return sizeof(void *) + l->piece_bytes;
}

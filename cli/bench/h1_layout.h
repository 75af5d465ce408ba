/* SPDX-License-Identifier: MIT */
#ifndef BENCH_H1_LAYOUT_H
#define BENCH_H1_LAYOUT_H
/*
 * h1_layout.h: one heap piece per CPU and a table of pointers to them, as
 * per-CPU objects were in 2008.
 */
#include <stddef.h>

/* CPUs that have a piece. */
#define H1_CPUS 2

struct h1_layout {
	void **table;	    /* of H1_CPUS pointers */
	size_t table_bytes; /* that the table takes, and each piece */
	size_t piece_bytes;
};

/*
 * Lay out, on pages of its own and from a line's start, a table and then each
 * CPU's piece of @size bytes, one after the other, as an allocator would whose
 * sizes are powers of two from @smallest up. What an allocator's history adds
 * to this (holes, pieces far apart) is left out, so that each run has the same
 * lines shared. Pieces are zero. Returns 0 or -ENOMEM.
 */
int h1_layout_make(struct h1_layout *l, size_t size, size_t smallest);
void h1_layout_free(struct h1_layout *l);

/* Of all CPUs' pieces and the table; of them, what one more CPU takes. */
size_t h1_layout_bytes(const struct h1_layout *l);
size_t h1_layout_bytes_per_cpu(const struct h1_layout *l);

#endif

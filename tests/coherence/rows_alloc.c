/* SPDX-License-Identifier: MIT */
/*
 * rows_alloc.c: percpu_alloc and percpu_free: so many out, then all in again,
 * with one object left out in each batch for a while, so that what comes out
 * is not always the same.
 */
#include "rows.h"

#include "lines.h"

#include <percpu/percpu.h>

#include <stdlib.h>

#define BATCH_MAX 64u

/* What each CPU holds: lines of its own. */
static struct {
	void PERCPU *h[BATCH_MAX];
} __attribute__((aligned(LINES_BYTES))) held[LINES_CPUS];

static void batch(unsigned cpu, unsigned n, size_t size)
{
	void PERCPU **h = held[cpu].h;

	for (unsigned i = 0; i < n; i++) {
		h[i] = percpu_alloc(size, 8);
		if (h[i] == NULL)
			abort();
	}
	for (unsigned i = 0; i < n; i++)
		percpu_free(h[i]);
}

#define FUNCTION(n, size)                                                      \
	static void batch_##n##_##size(unsigned cpu)                           \
	{                                                                      \
		batch(cpu, n, size);                                           \
	}

FUNCTION(1, 8)
FUNCTION(16, 8)
FUNCTION(64, 8)
FUNCTION(64, 64)

#define ROW(n, size)                                                           \
	{                                                                      \
		"percpu_alloc, free: " #n " of " #size, "rseq", NULL,          \
			batch_##n##_##size, 400 / n, false                     \
	}

const struct row rows_alloc[] = {
	ROW(1, 8),
	ROW(16, 8),
	ROW(64, 8),
	ROW(64, 64),
	{ NULL, NULL, NULL, NULL, 0, false },
};

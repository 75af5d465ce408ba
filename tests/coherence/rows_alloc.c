/* SPDX-License-Identifier: MIT */
/*
 * rows_alloc.c: percpu_alloc and percpu_free: so many out, then all in again;
 * other CPUs come in between the calls.
 * What moves here is the line of marks (src/cell.h): 64 objects of 8 bytes
 * share one, and the first batches of several CPUs come from one line.
 */
#include "rows.h"

#include "model.h"

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
		model_yield();
	}
	for (unsigned i = 0; i < n; i++) {
		percpu_free(h[i]);
		model_yield();
	}
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

#define ROW(n, size, times)                                                    \
	{                                                                      \
		"percpu_alloc, free: " #n " of " #size, "rseq", NULL,          \
			batch_##n##_##size, times, false, true                 \
	}

const struct row rows_alloc[] = {
	ROW(1, 8, 24),
	ROW(16, 8, 12),
	ROW(64, 8, 6),
	ROW(64, 64, 6),
	{ NULL, NULL, NULL, NULL, 0, false, false },
};

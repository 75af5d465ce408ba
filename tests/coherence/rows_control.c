/* SPDX-License-Identifier: MIT */
/*
 * rows_control.c: counters as programs have them without this library. What
 * the model says of these is known: it is how the model itself is watched.
 */
#include "rows.h"

#include "lines.h"

#include <stddef.h>

#define TIMES 400u

static uint64_t one __attribute__((aligned(LINES_BYTES)));

/* Eight to a line. */
static uint64_t packed[LINES_CPUS] __attribute__((aligned(LINES_BYTES)));

static struct {
	uint64_t value;
} __attribute__((aligned(LINES_BYTES))) padded[LINES_CPUS];

static void add_shared(unsigned cpu)
{
	(void)cpu;
	__atomic_fetch_add(&one, 1, __ATOMIC_RELAXED);
}

static void add_packed(unsigned cpu)
{
	__atomic_store_n(&packed[cpu], packed[cpu] + 1, __ATOMIC_RELAXED);
}

static void add_padded(unsigned cpu)
{
	__atomic_store_n(&padded[cpu].value, padded[cpu].value + 1,
			 __ATOMIC_RELAXED);
}

const struct row rows_control[] = {
	{ "shared atomic", "rseq", NULL, add_shared, TIMES, false, false },
	{ "counters, 8 to a line", "rseq", NULL, add_packed, TIMES, false,
	  false },
	{ "counters on own lines", "rseq", NULL, add_padded, TIMES, true,
	  false },
	{ NULL, NULL, NULL, NULL, 0, false, false },
};

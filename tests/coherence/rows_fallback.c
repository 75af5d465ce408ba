/* SPDX-License-Identifier: MIT */
/*
 * rows_fallback.c: operations where there are no sections: as ThreadSanitizer
 * builds have them (percpu/arch/shared.h), and under the other policies.
 * Compiled without the model's sections: this file gets shared.h.
 */
#include "rows.h"

#include <percpu/percpu.h>

#include <stdlib.h>

#define TIMES 400u

static uint64_t PERCPU *h;

static void start(void)
{
	h = percpu_new(uint64_t);
	if (h == NULL)
		abort();
}

static void inlined(unsigned cpu)
{
	(void)cpu;
	percpu_add(h, 3);
}

static void called(unsigned cpu)
{
	(void)cpu;
	percpu_add_u64(h, 3);
}

const struct row rows_fallback[] = {
	{ "policy atomic: percpu_add", "atomic", start, called, TIMES, true,
	  false },
	{ "policy shared: percpu_add", "shared", start, called, TIMES, false,
	  false },
	{ "ThreadSanitizer: percpu_add", "rseq", start, inlined, TIMES, false,
	  false },
	{ NULL, NULL, NULL, NULL, 0, false, false },
};

/* SPDX-License-Identifier: MIT */
/*
 * rows_ref.c: references: a get and a put on every CPU, of one that counts per
 * CPU, of an adaptive one that was made to, and of one that is atomic.
 */
#include "rows.h"

#include "model.h"
#include "ref.h"

#include <stdlib.h>

#define TIMES 400u

static struct percpu_ref plain, hot, atomic;

static void release(struct percpu_ref *r)
{
	(void)r;
}

/* No virtual CPU runs yet, so a fence has nothing to do. */
static void start(void)
{
	model_fences = true;
	if (percpu_ref_init(&plain, release, 0) != 0 ||
	    percpu_ref_init(&hot, release, PERCPU_REF_ADAPTIVE) != 0 ||
	    percpu_ref_init(&atomic, release, PERCPU_REF_INIT_ATOMIC) != 0)
		abort();
	percpu__ref_adapt_promote(&hot);
	if (((plain.guarded.word | hot.guarded.word) & PERCPU__REF_ATOMIC) != 0)
		abort();
	model_fences = false;
}

#define FUNCTION(ref)                                                          \
	static void of_##ref(unsigned cpu)                                     \
	{                                                                      \
		(void)cpu;                                                     \
		percpu_ref_get(&ref);                                          \
		percpu_ref_put(&ref);                                          \
	}

FUNCTION(plain)
FUNCTION(hot)
FUNCTION(atomic)

const struct row rows_ref[] = {
	{ "percpu_ref_get, _put", "rseq", start, of_plain, TIMES, true, false },
	{ "the same, adaptive, hot", "rseq", start, of_hot, TIMES, true,
	  false },
	{ "the same, atomic", "rseq", start, of_atomic, TIMES, false, true },
	{ NULL, NULL, NULL, NULL, 0, false, false },
};

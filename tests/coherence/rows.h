/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_ROWS_H
#define TESTS_COHERENCE_ROWS_H
/*
 * rows.h: the rows of the table: what every virtual CPU does again and again.
 */
#include <stdbool.h>
#include <stdint.h>

struct row {
	const char *name;
	const char *policy;	   /* PERCPU_BACKEND */
	void (*start)(void);	   /* before the CPUs run; NULL: nothing */
	void (*operate)(unsigned); /* one operation, on the given CPU */
	unsigned times;		   /* operations per CPU that are counted */
	bool still;		   /* no line may move at any number of CPUs */
	bool whole; /* others run between operations, not within them */
};

/* Each ended by a name of NULL. */
extern const struct row rows_control[];	  /* what the model says of these */
extern const struct row rows_operation[]; /* ops.h, on this CPU's unit */
extern const struct row rows_counter[];	  /* counter.h, and before */
extern const struct row rows_alloc[];	  /* percpu_alloc, percpu_free */
extern const struct row rows_ref[];	  /* percpu_ref_get and _put */
extern const struct row rows_call[];	  /* descriptors of calls */
extern const struct row rows_fallback[];  /* where there are no sections */

/* All of these, then NULL. */
extern const struct row *const rows[];

#endif

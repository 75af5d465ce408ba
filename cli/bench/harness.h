/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H
/*
 * harness.h: measure some variants of one piece of work beside each other.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HARNESS_MAX_THREADS 2
#define HARNESS_MAX_VARIANTS 16
/* Kernels do this many operations per turn of their loop. */
#define HARNESS_GRAIN 8

/* What keeps two threads' data apart on any machine, neighbour lines too. */
#define HARNESS_APART __attribute__((aligned(256)))

/*
 * One variant. @run does @ops operations, a multiple of HARNESS_GRAIN, as
 * thread number @thread; all threads run it at once.
 */
struct variant {
	const char *name; /* in JSON */
	const char *what; /* for people */
	void (*run)(void *arg, unsigned thread, uint64_t ops);
	void *arg;
	const char
		*control_of; /* the variant that this is once more, or NULL */
	unsigned bytes;	     /* memory of one object, 0 if it has none */
	unsigned bytes_per_cpu; /* of them, what one more CPU costs */
};

struct plan {
	const struct variant *variants;
	unsigned nr_variants;
	unsigned threads;
	const int *cpus; /* where each thread is pinned */
	unsigned rounds; /* quiet slices wanted of each variant */
	double seconds;	 /* when to end in any case */
	double slice_ns; /* length of a slice */
	/* One thread, the caller: no thread is made, so that libc sees none. */
	bool alone;
	void (*progress)(void *arg, double done);
	void *progress_arg;
};

struct samples {
	size_t rounds;	 /* that were begun */
	size_t capacity; /* a variant's values lie this far apart */
	double *ns;	 /* ns per operation, NAN where it was not quiet */
	uint64_t ops[HARNESS_MAX_VARIANTS]; /* operations of a slice */
	size_t kept[HARNESS_MAX_VARIANTS];  /* quiet slices */
	size_t tried[HARNESS_MAX_VARIANTS];
};

/* Returns 0 or -errno; *@s is then to be given to samples_free(). */
int harness_run(const struct plan *plan, struct samples *s);

/* The values of @variant, @s->rounds of them. */
const double *samples_of(const struct samples *s, unsigned variant);
void samples_free(struct samples *s);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * ref_kill.c: the memory of idle references, and the end of many.
 *
 * Memory is what became resident, over the number of references, between an
 * array of zeros that was written and one that holds references; so the sixteen
 * bytes of the array are added. Kills are timed while another thread runs, as
 * a fence interrupts the CPUs of running threads and no other. One by one each
 * takes a fence, all at once they take one: tests/ref/fences.c.
 */
#include "ref_kill.h"

#include "table.h"

#include <percpu/percpu.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define IDLE 1000000u
#define KILLED 10000u

static double resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	double pages = NAN;

	if (f != NULL) {
		if (fscanf(f, "%*s %lf", &pages) != 1)
			pages = NAN;
		fclose(f);
	}
	return pages * (double)sysconf(_SC_PAGESIZE);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void release(struct percpu_ref *ref)
{
	percpu_ref_exit(ref);
}

/* Bytes that each of @n references of a kind takes, the reference included. */
static double bytes_each(unsigned flags, unsigned n)
{
	struct percpu_ref *ref = malloc(n * sizeof(*ref));
	unsigned made = 0;
	double before;
	double taken;

	if (ref == NULL)
		return NAN;
	memset(ref, 1, n * sizeof(*ref));
	before = resident();
	while (made < n && percpu_ref_init(&ref[made], release, flags) == 0)
		made++;
	taken = (resident() - before) / n + sizeof(*ref);
	while (made > 0)
		percpu_ref_exit(&ref[--made]);
	free(ref);
	return taken;
}

static void memory(const struct bench *b)
{
	struct table t = {
		.key = "idle",
		.title = "idle references",
		.unit = "bytes each",
		.says = "    resident for a million references that nobody uses, "
			"themselves included\n",
		.columns = { "adaptive" },
		.goals = { 17 },
	};
	double bytes = bytes_each(PERCPU_REF_ADAPTIVE, IDLE);

	table_begin(&t);
	table_row(&t, "1,000,000 references", &bytes);
	table_end(&t, b);
}

static bool ended;

static void *runs(void *arg)
{
	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED))
		;
	return arg;
}

/* ns for each, all that were made being killed by @kill. */
static double kill_time(void (*kill)(struct percpu_ref *const *refs, size_t n))
{
	struct percpu_ref *ref = malloc(KILLED * sizeof(*ref));
	struct percpu_ref **refs = malloc(KILLED * sizeof(*refs));
	double from = NAN;
	size_t n = 0;

	while (ref != NULL && refs != NULL && n < KILLED &&
	       percpu_ref_init(&ref[n], release, 0) == 0) {
		percpu_ref_get(&ref[n]);
		percpu_ref_put(&ref[n]);
		refs[n] = &ref[n];
		n++;
	}
	if (n == KILLED) {
		from = now();
		kill(refs, n);
		from = (now() - from) / KILLED;
	}
	free(refs);
	free(ref);
	return from;
}

static void one_by_one(struct percpu_ref *const *refs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		percpu_ref_kill(refs[i]);
}

static void kills(const struct bench *b)
{
	struct table t = {
		.key = "kill",
		.title = "10,000 references killed",
		.unit = "",
		.says = "    nanoseconds each, while one other thread runs; "
			"a fence each, and one\n",
		.columns = { "ns each" },
		.goals = { NAN },
	};
	double one;
	double all;
	pthread_t other;

	if (pthread_create(&other, NULL, runs, NULL) != 0)
		return;
	one = kill_time(one_by_one);
	all = kill_time(percpu_ref_kill_many);
	__atomic_store_n(&ended, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	table_begin(&t);
	table_row(&t, "percpu_ref_kill, one by one", &one);
	table_row(&t, "percpu_ref_kill_many", &all);
	table_end(&t, b);
}

void ref_kill_run(const struct bench *b)
{
	memory(b);
	kills(b);
}

/* SPDX-License-Identifier: MIT */
/*
 * h4_switch.c: context switches and their accounting: on each CPU two threads
 * wake each other through pipes, and each counts 1 when it is back. Between two
 * counts lie thousands of instructions of the kernel, so that a line that was
 * taken away costs a few in a hundred at most. What is shown is therefore the
 * range of some slices, all ways in turn; where ranges overlap, they say
 * nothing.
 */
#include "h4.h"

#include "clock.h"
#include "table.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define SLICES 15u
#define QUICK_SLICES 3u
#define SLICE_NS 3e7
#define QUICK_SLICE_NS 5e6
#define WAYS 5u

enum way { OFF, BEFORE, AFTER };

static const struct {
	const char *name;
	enum way way;
	int32_t batch;
} ways[WAYS] = {
	{ "accounting off", OFF, 0 },
	{ "on, before, batch 4", BEFORE, 4 },
	{ "on, after, batch 4", AFTER, 4 },
	{ "on, before, batch 32", BEFORE, 32 },
	{ "on, after, batch 32", AFTER, 32 },
};

static struct h4_before before;
static struct percpu_counter after HARNESS_APART;

static struct {
	enum way way;
	int32_t batch;
	uint64_t end; /* ns */
} HARNESS_APART slice;

/* A thread: one of two on its CPU. */
struct end {
	pthread_t thread;
	unsigned side;
	int pinned;
	int from, to;
	uint64_t switches;
} HARNESS_APART;

static struct end ends[H4_CPUS][2];
static pthread_barrier_t start;

static void account(void)
{
	switch (slice.way) {
	case OFF: break;
	case BEFORE: h4_add(&before.counters, &before.c, slice.batch); break;
	case AFTER: percpu_counter_add_batch(&after, 1, slice.batch); break;
	}
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

/* Side 0 begins, and ends by closing its pipe; side 1 then reads nothing. */
static void *switch_to_and_fro(void *arg)
{
	struct end *e = arg;
	char byte = 0;

	pin(e->pinned);
	pthread_barrier_wait(&start);
	for (;;) {
		if (e->side == 0 && ((e->switches & 15) == 0 &&
				     clock_ns(CLOCK_MONOTONIC) >= slice.end))
			break;
		if (e->side == 0 && write(e->to, &byte, 1) != 1)
			break;
		if (read(e->from, &byte, 1) != 1)
			break;
		account();
		e->switches++;
		if (e->side == 1 && write(e->to, &byte, 1) != 1)
			break;
	}
	close(e->to);
	return NULL;
}

/* Two pipes between the threads of one CPU; false if there are none. */
static bool connect_ends(struct end *of)
{
	int there[2];
	int back[2];

	if (pipe(there) != 0)
		return false;
	if (pipe(back) != 0) {
		close(there[0]);
		close(there[1]);
		return false;
	}
	of[0].to = there[1];
	of[1].from = there[0];
	of[1].to = back[1];
	of[0].from = back[0];
	return true;
}

static bool connect_all(unsigned cpus)
{
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		if (!connect_ends(ends[cpu]))
			return false;
	return true;
}

/* Threads that were begun wait for those that were not: the part ends. */
static void begin(const struct bench *b, unsigned cpus)
{
	for (unsigned i = 0; i < 2 * cpus; i++) {
		struct end *e = &ends[i / 2][i % 2];

		e->side = i % 2;
		e->pinned = b->cpus[i / 2];
		e->switches = 0;
		if (pthread_create(&e->thread, NULL, switch_to_and_fro, e) != 0)
			exit(EXIT_FAILURE);
	}
}

/* The switches of all, when they have ended. */
static uint64_t finish(unsigned cpus)
{
	uint64_t switches = 0;

	for (unsigned i = 0; i < 2 * cpus; i++) {
		struct end *e = &ends[i / 2][i % 2];

		pthread_join(e->thread, NULL);
		close(e->from);
		switches += e->switches;
	}
	return switches;
}

/* Thousands of switches a second on all CPUs, NAN if it could not be made. */
static double run_slice(const struct bench *b, unsigned cpus, unsigned way)
{
	uint64_t from;
	uint64_t switches;

	slice.way = ways[way].way;
	slice.batch = ways[way].batch;
	if (!connect_all(cpus))
		return NAN;
	pthread_barrier_init(&start, NULL, 2 * cpus + 1);
	begin(b, cpus);
	from = clock_ns(CLOCK_MONOTONIC);
	slice.end = from + (uint64_t)(b->quick ? QUICK_SLICE_NS : SLICE_NS);
	pthread_barrier_wait(&start);
	switches = finish(cpus);
	pthread_barrier_destroy(&start);
	return (double)switches / (double)(clock_ns(CLOCK_MONOTONIC) - from) *
	       1e6;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void show(const struct bench *b, double (*rates)[SLICES], unsigned n)
{
	struct table t = {
		"switches",
		"real context switches",
		"thousands a second",
		"  Two threads on each CPU wake each other through pipes. The "
		"lowest, the middle and\n"
		"  the highest of some slices.",
		{ "lowest", "middle", "highest", NULL },
		{ NAN, NAN, NAN },
		NULL
	};

	table_begin(&t);
	for (unsigned way = 0; way < WAYS; way++) {
		qsort(rates[way], n, sizeof(**rates), ascending);
		table_row(&t, ways[way].name,
			  (const double[]){ rates[way][0], rates[way][n / 2],
					    rates[way][n - 1] });
	}
	table_end(&t, b);
}

void h4_switch(const struct bench *b)
{
	static double rates[WAYS][SLICES];
	unsigned n = b->quick ? QUICK_SLICES : SLICES;
	unsigned cpus = b->nr_cpus < H4_CPUS ? b->nr_cpus : H4_CPUS;

	before.counters = percpu_new(int32_t);
	if (before.counters == NULL || percpu_counter_init(&after, 0) != 0)
		return;
	for (unsigned i = 0; i < n; i++)
		for (unsigned way = 0; way < WAYS; way++)
			rates[way][i] = run_slice(b, cpus, way);
	show(b, rates, n);
	percpu_free(before.counters);
	percpu_counter_destroy(&after);
}

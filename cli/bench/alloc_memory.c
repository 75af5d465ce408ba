/* SPDX-License-Identifier: MIT */
/*
 * alloc_memory.c: what objects take in memory.
 *
 * Payload: 100,000 objects of 8 bytes, written on two CPUs, against their
 * bytes alone; books, caches and half-used pages are what is more.
 *
 * Utilisation, as the allocator of 2005 was measured: 2000 objects of random
 * sizes up to two pages, written; a random half of them freed; as many taken
 * again, of other sizes. It is the bytes asked for over those of the pages of
 * one unit that are resident; what pages are free goes back first, as it does
 * by itself after a second.
 */
#include "alloc.h"

#include "table.h"

#include <percpu/percpu.h>

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 100000u
#define RANDOM 2000u
#define RANDOM_MAX 8192u

/* Bytes of this process that are no file's. */
static double anonymous(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	double kib = NAN;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "Anonymous:", 10) == 0)
			kib = strtod(line + 10, NULL);
	if (f != NULL)
		fclose(f);
	return kib * 1024;
}

static double mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	double n = 0;
	int c;

	while (f != NULL && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f != NULL)
		fclose(f);
	return n;
}

static void write_on(int cpu, uint64_t PERCPU **h)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (unsigned i = 0; i < SMALL; i++)
		percpu_write(h[i], i + 1);
}

static void payload(const struct bench *b)
{
	struct table t = {
		.key = "payload",
		.title = "100,000 objects of 8 bytes, written on each CPU",
		.unit = "",
		.says = "    bytes resident over the objects' own, books and "
			"caches included\n",
		.columns = { "x payload", "mappings" },
		.goals = { 1.15, 99 },
	};
	uint64_t PERCPU **h = calloc(SMALL, sizeof(uint64_t PERCPU *));
	double before, maps;

	if (h == NULL)
		return;
	memset(h, 1, SMALL * sizeof(*h));
	percpu_free(percpu_alloc(8, 8));
	before = anonymous();
	maps = mappings();
	for (unsigned i = 0; i < SMALL; i++)
		h[i] = percpu_new(uint64_t);
	for (unsigned i = 0; i < b->nr_cpus; i++)
		write_on(b->cpus[i], h);
	table_begin(&t);
	table_row(
		&t, "percpu_alloc",
		(double[]){ (anonymous() - before) / (8.0 * SMALL * b->nr_cpus),
			    mappings() - maps });
	table_end(&t, b);
	for (unsigned i = 0; i < SMALL; i++)
		percpu_free(h[i]);
	free(h);
}

static struct {
	char PERCPU *h;
	size_t size;
} objects[RANDOM];

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* A new object number @i, written in one unit. */
static void take(unsigned i)
{
	size_t size = next_random() % RANDOM_MAX + 1;

	objects[i].h = percpu_alloc(size, 4);
	objects[i].size = size;
	if (objects[i].h != NULL)
		memset((void *)percpu_ptr(objects[i].h, 0), 1, size);
}

static void give(unsigned i)
{
	percpu_free(objects[i].h);
	objects[i].h = NULL;
}

static double utilisation(void)
{
	size_t bytes = 0;

	percpu_trim();
	for (unsigned i = 0; i < RANDOM; i++)
		bytes += objects[i].h != NULL ? objects[i].size : 0;
	return 100.0 * (double)bytes / (double)percpu_alloc_populated(0);
}

static void fill(const struct bench *b)
{
	struct table t = {
		.key = "utilisation",
		.title = "2000 objects of 1 to 8192 bytes",
		.unit = "% of resident pages",
		.says = "    the allocator of 2005: 98.7, 54.8, 98.2\n",
		.columns = { "full", "half freed", "refilled" },
		.goals = { NAN, NAN, NAN },
	};
	double full, half;

	percpu_trim();
	for (unsigned i = 0; i < RANDOM; i++)
		take(i);
	full = utilisation();
	for (unsigned i = 0; i < RANDOM; i++)
		if (next_random() % 2 == 0)
			give(i);
	half = utilisation();
	for (unsigned i = 0; i < RANDOM; i++)
		if (objects[i].h == NULL)
			take(i);
	table_begin(&t);
	table_row(&t, "percpu_alloc", (double[]){ full, half, utilisation() });
	table_end(&t, b);
	for (unsigned i = 0; i < RANDOM; i++)
		give(i);
}

void alloc_memory(const struct bench *b)
{
	payload(b);
	fill(b);
}

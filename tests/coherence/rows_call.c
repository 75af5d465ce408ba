/* SPDX-License-Identifier: MIT */
/*
 * rows_call.c: a CPU of even number hands a call descriptor to the next one,
 * which gives it back: as Linux had it until 2017, on two lines where it
 * happened to lie so, or aligned to its size; and the library's own steps of a
 * call to a worker that is awake. Each side takes a descriptor to write to it,
 * so a line that goes there, or back, is one line moved; each of the two makes
 * one operation, so the figure is lines each way. Who waits lets others run.
 *
 * The library's: the head is taken by the caller, looked at and taken by the
 * worker, the csd there and back; a look and then a store move a line each.
 */
#include "rows.h"

#include "call.h"
#include "lines.h"
#include "model.h"
#include "mutex.h"

#include <stdlib.h>

#define TIMES 100u
#define PAIRS (LINES_CPUS / 2)

struct csd {
	struct csd *next;
	void (*func)(void *info);
	void *info;
	uint32_t flags;
};

static struct {
	char space[2 * LINES_BYTES];
} __attribute__((aligned(LINES_BYTES))) places[PAIRS];

static struct {
	struct percpu_csd csd;
} __attribute__((aligned(LINES_BYTES))) calls[PAIRS];

static struct {
	uint64_t hits;
} __attribute__((aligned(LINES_BYTES))) hits[PAIRS];

static void hit(void *arg)
{
	uint64_t *n = arg;

	++*n;
}

/* Wait until the flags are @from, and make them 2: they are taken. */
static void claim(struct csd *c, uint32_t from)
{
	uint32_t old = from;

	while (!__atomic_compare_exchange_n(&c->flags, &old, 2, false,
					    __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		old = from;
		model_yield();
	}
}

static void release(struct csd *c, uint32_t to)
{
	__atomic_store_n(&c->flags, to, __ATOMIC_RELEASE);
}

static void hand_over(unsigned cpu, size_t offset)
{
	struct csd *c = (struct csd *)(void *)&places[cpu / 2].space[offset];

	if (cpu % 2 == 0) {
		claim(c, 0);
		c->next = NULL;
		c->func = hit;
		c->info = &hits[cpu / 2];
		release(c, 1);
	} else {
		claim(c, 1);
		if (c->next == NULL)
			c->func(c->info);
		release(c, 0);
	}
}

static void straddling(unsigned cpu)
{
	hand_over(cpu, 48);
}

static void aligned(unsigned cpu)
{
	hand_over(cpu, 32);
}

static uintptr_t awake(void)
{
	return percpu__call_queue_tag(percpu__mutex_family(),
				      PERCPU__CALL_AWAKE);
}

/* Workers without threads: their CPUs are them. */
static void start(void)
{
	if (percpu__call_table_make() != 0)
		abort();
	for (unsigned cpu = 0; cpu < model_cpus(); cpu++)
		percpu__call_table_at(cpu)->head = awake();
}

static void call(unsigned cpu)
{
	struct percpu_csd *csd = &calls[cpu / 2].csd;
	uint32_t family = percpu__mutex_family();
	uintptr_t head;

	csd->fn = hit;
	csd->arg = &hits[cpu / 2];
	csd->src = (uint16_t)cpu;
	csd->dst = (uint16_t)(cpu + 1);
	percpu__call_csd_expect(csd, NULL);
	if (!percpu__call_queue_push(percpu__call_table_at(cpu + 1), csd,
				     &family, &head))
		abort();
	while (!percpu__call_csd_done(csd))
		model_yield();
	if (percpu__call_csd_result(csd) != 0)
		abort();
}

static void serve(unsigned cpu)
{
	struct percpu__call_queue *q = percpu__call_table_at(cpu);
	struct percpu_csd *csd;

	while ((csd = percpu__call_queue_take(q, awake())) == NULL)
		model_yield();
	if (!percpu__call_csd_begin(csd))
		abort();
	csd->fn(csd->arg);
	percpu__call_csd_finish(csd, false);
}

static void library(unsigned cpu)
{
	if (cpu % 2 == 0)
		call(cpu);
	else
		serve(cpu);
}

const struct row rows_call[] = {
	{ "csd on two lines, each way", "rseq", NULL, straddling, TIMES, false,
	  true },
	{ "csd aligned, each way", "rseq", NULL, aligned, TIMES, false, true },
	{ "percpu_call, worker awake", "rseq", start, library, TIMES, false,
	  true },
	{ NULL, NULL, NULL, NULL, 0, false, false },
};

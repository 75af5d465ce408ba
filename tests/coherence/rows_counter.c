/* SPDX-License-Identifier: MIT */
/*
 * rows_counter.c: counters with the default batch, at the number of CPUs of the
 * column; one after another at each 8-byte offset of a line, so that what a
 * counter's neighbours are makes no difference; and the layout that Linux had
 * until 2009, the pointer that all read beside what they write. Other CPUs run
 * between adds: within, the figure would depend on the compiler.
 */
#include "model.h"
#include "rows.h"

#include <percpu/percpu.h>

#include <stdlib.h>

#define TIMES 512u
#define LINE 64u
#define OFFSETS (LINE / 8)

/* As Linux had it; CPUs' counts lie on lines of their own. */
struct old {
	int32_t lock;
	int64_t count;
	void *list[2];
	struct old_slot {
		int32_t value;
	} __attribute__((aligned(LINE))) * slots;
};

static struct old old __attribute__((aligned(LINE)));

/* A counter at each offset, each with lines to itself. */
static struct {
	char space[4 * LINE];
} __attribute__((aligned(LINE))) places[OFFSETS];

static struct percpu_counter *at(unsigned offset)
{
	return (struct percpu_counter *)(void *)&places[offset]
		.space[LINE + 8 * offset];
}

static void start(void)
{
	percpu_counter_batch =
		model_cpus() > 16 ? 2 * (int32_t)model_cpus() : 32;
	for (unsigned i = 0; i < OFFSETS; i++)
		if (percpu_counter_init(at(i), 0) != 0)
			abort();
}

static void start_old(void)
{
	start();
	old.slots = aligned_alloc(LINE, LINES_CPUS * sizeof(struct old_slot));
	if (old.slots == NULL)
		abort();
	for (unsigned i = 0; i < LINES_CPUS; i++)
		old.slots[i].value = 0;
}

static void add(unsigned cpu)
{
	(void)cpu;
	percpu_counter_inc(at(0));
}

static void add_each(unsigned cpu)
{
	(void)cpu;
	for (unsigned i = 0; i < OFFSETS; i++)
		percpu_counter_inc(at(i));
}

static void add_old(unsigned cpu)
{
	struct old_slot *slots = __atomic_load_n(&old.slots, __ATOMIC_RELAXED);
	int32_t value = slots[cpu].value + 1;

	if (value >= percpu_counter_batch) {
		__atomic_fetch_add(&old.count, value, __ATOMIC_RELAXED);
		value = 0;
	}
	__atomic_store_n(&slots[cpu].value, value, __ATOMIC_RELAXED);
}

const struct row rows_counter[] = {
	{ "pointer beside count", "rseq", start_old, add_old, TIMES, false,
	  true },
	{ "percpu_counter_add", "rseq", start, add, TIMES, false, true },
	{ "percpu_counter_add, 8 offsets", "rseq", start, add_each, TIMES,
	  false, true },
	{ "policy atomic: counter_add", "atomic", start, add, TIMES, false,
	  true },
	{ NULL, NULL, NULL, NULL, 0, false, false },
};

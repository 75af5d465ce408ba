/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_CALLS_H
#define TESTS_ALLOC_CALLS_H
/*
 * calls.h: calls of percpu_alloc() and percpu_free() that between them go every
 * way there is, stepped through. After each, calls_end() is called, which says
 * whether it is over: true in a child, where the object at hand is no more.
 */
#include "model.h"
#include "slots.h"
#include "stepped.h"

#include <sched.h>

enum { OTHERS = 300 };

static char PERCPU *other[OTHERS]; /* had besides */
static unsigned others;

static void calls_end(char PERCPU *h);

/* Have one more of @size bytes. */
static inline void have(size_t size)
{
	CHECK(others < OTHERS);
	other[others++] = must_alloc(size, 4);
}

static inline void let_go(void)
{
	while (others > 0)
		percpu_free(other[--others]);
}

static inline char PERCPU *step_alloc(size_t size)
{
	char PERCPU *h;
	struct object o;

	stepped_start();
	h = percpu_alloc(size, 4);
	stepped_stop();
	CHECK(h != NULL);
	model_enter(&o, h, size, 4);
	model_write(&o, 77);
	model_leave(&o);
	calls_end(h);
	return h;
}

static inline void step_free(char PERCPU *h)
{
	stepped_start();
	percpu_free(h);
	stepped_stop();
	calls_end(NULL);
}

/* With a cache that has the object, or where none has any. */
static inline void step_through(size_t size)
{
	step_free(step_alloc(size));
}

/* Many come from the chunks at once. */
static inline void step_through_refill(size_t size)
{
	char PERCPU *h;

	while (others < 7) /* 1, 2 and 4 came at once; 8 will */
		have(size);
	h = step_alloc(size);
	let_go();
	step_free(h);
}

static inline size_t cached(size_t size)
{
	struct percpu_alloc_stats s;

	percpu_alloc_stats(&s);
	return s.classes[size / 8].cached;
}

/* Many go to the chunks at once; one, where steps abort each sequence. */
static inline void step_through_flush(size_t size)
{
	size_t before;

	while (others < OTHERS)
		have(size);
	do { /* until the cache is full: it gives back some then */
		before = cached(size);
		percpu_free(other[--others]);
	} while (cached(size) > before);
	while (cached(size) < before)
		percpu_free(other[--others]);
	others--;
	step_free(other[others]);
	let_go();
}

/* Fill what there is, so that the next one needs a chunk of its own. */
static inline void step_through_new_chunk(void)
{
	have(percpu_max_size());
	step_through(percpu_max_size() / 2);
	let_go();
}

/* One CPU's cache is filled and emptied. */
static inline void stay(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
}

static inline void step_through_all(void)
{
	stay();
	step_through(8);
	step_through(4);
	step_through_refill(72);
	step_through_flush(104);
	step_through(3000);
	step_through_new_chunk();
}

#endif

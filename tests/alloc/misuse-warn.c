/* SPDX-License-Identifier: MIT */
/*
 * With PERCPU_MISUSE=warn a program that keeps freeing what it must not goes
 * on: nothing is freed twice, no object is given to two, none loses a byte.
 */
#include "books.h"
#include "model.h"
#include "random.h"
#include "slots.h"

enum { OBJECTS = 300, STEPS = 30000 };

static struct object objects[OBJECTS]; /* live where h is not NULL */
static char PERCPU *gone[OBJECTS];     /* freed of late */
static uint64_t state = 5;
static size_t live;
static size_t live_bytes;

static void take(struct object *o)
{
	size_t size = one_in(&state, 10) ? 1 + pick(&state, 5000) :
					   4 * (1 + pick(&state, 20));

	model_enter(o, must_alloc(size, 4), size, 4);
	model_write(o, draw(&state));
	live++;
	live_bytes += o->usable;
}

static void give(struct object *o)
{
	model_leave(o);
	live--;
	live_bytes -= o->usable;
	percpu_free(o->h);
	gone[pick(&state, OBJECTS)] = o->h;
	o->h = NULL;
}

static bool is_live(const char PERCPU *h)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		if (objects[i].h == h)
			return true;
	return false;
}

static void misuse(void)
{
	char PERCPU *h = gone[pick(&state, OBJECTS)];
	const struct object *o = &objects[pick(&state, OBJECTS)];

	if (h != NULL && !is_live(h))
		percpu_free(h);
	if (o->h != NULL && o->usable > 4)
		percpu_free(o->h + 1 + pick(&state, (unsigned)o->usable - 1));
	if (o->h != NULL && o->usable > 8)
		percpu_free(o->h + 8);
	if (o->h != NULL)
		percpu_free(percpu_ptr(o->h, 0));
}

int main(void)
{
	setenv("PERCPU_MISUSE", "warn", 1);
	/* The warnings; what this test says is on standard output. */
	CHECK(freopen("/dev/null", "w", stderr) != NULL);
	for (unsigned step = 0; step < STEPS; step++) {
		struct object *o = &objects[pick(&state, OBJECTS)];

		if (o->h == NULL)
			take(o);
		else
			give(o);
		misuse();
		if (step % 1000 == 0)
			books_check(live, live_bytes);
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		if (objects[i].h != NULL)
			give(&objects[i]);
	books_check_empty();
	return TEST_PASS;
}

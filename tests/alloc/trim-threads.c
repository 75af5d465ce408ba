/* SPDX-License-Identifier: MIT */
/*
 * Three threads trim at once while three others allocate and free: no page goes
 * twice or from under an object, each object is zero when it comes and whole
 * when it goes, and in the end all memory is back.
 */
#include "books.h"
#include "model.h"
#include "random.h"
#include "slots.h"

#include <pthread.h>

enum { TRIMMERS = 3, WORKERS = 3, LIVE = 100, STEPS = 12000 };

static int stop;

static void *trim(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		percpu_trim();
		books_look();
	}
	return NULL;
}

/* Often pages of their own, which come and go. */
static size_t draw_size(uint64_t *state)
{
	return one_in(state, 4) ? 4096 + pick(state, 12000) :
				  1 + pick(state, 500);
}

static void step(struct object *o, uint64_t *state)
{
	size_t size = draw_size(state);

	if (o->h == NULL) {
		model_enter(o, must_alloc(size, 8), size, 8);
		model_write(o, draw(state));
		return;
	}
	model_leave(o);
	percpu_free(o->h);
	o->h = NULL;
}

static void *work(void *arg)
{
	uint64_t state = mix((uintptr_t)arg);
	struct object objects[LIVE] = { { 0 } };
	unsigned steps = percpu_nr_slots() < 16 ? STEPS : STEPS / 20;

	for (unsigned i = 0; i < steps; i++)
		step(&objects[pick(&state, LIVE)], &state);
	for (unsigned i = 0; i < LIVE; i++)
		if (objects[i].h != NULL)
			step(&objects[i], &state);
	return NULL;
}

int main(void)
{
	pthread_t trimmers[TRIMMERS];
	pthread_t workers[WORKERS];

	if (!OBJECTS_ARE_PLAIN)
		SKIP("a sanitizer's red zones lie between objects");
	for (uintptr_t i = 0; i < TRIMMERS; i++)
		CHECK(pthread_create(&trimmers[i], NULL, trim, NULL) == 0);
	for (uintptr_t i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&workers[i], NULL, work, (void *)i) == 0);
	for (unsigned i = 0; i < WORKERS; i++)
		CHECK(pthread_join(workers[i], NULL) == 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < TRIMMERS; i++)
		CHECK(pthread_join(trimmers[i], NULL) == 0);
	books_check_empty();
	return TEST_PASS;
}

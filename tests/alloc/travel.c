/* SPDX-License-Identifier: MIT */
/*
 * Conformance 25: what was allocated and written on one CPU, freed on another
 * and had again there or on the first is zero in every slot, and no two live
 * objects overlap. What is kept at hand for both is given back by a trim.
 */
#include "books.h"
#include "model.h"
#include "random.h"
#include "slots.h"

#include "cpus.h"

#define OBJECTS 600u
#define ROUNDS 12u

static struct object objects[OBJECTS]; /* live where h is not NULL */
static uint64_t state = 9;

static size_t draw_size(void)
{
	return one_in(&state, 30) ? 1 + pick(&state, 9000) :
				    1 + pick(&state, 64);
}

static void *take_all(void *arg)
{
	move_to(*(unsigned *)arg);
	for (unsigned i = 0; i < OBJECTS; i++) {
		size_t size = draw_size();

		if (objects[i].h != NULL)
			continue;
		model_enter(&objects[i], must_alloc(size, 1), size, 1);
		model_write(&objects[i], draw(&state));
	}
	return NULL;
}

/* Half of what there is. */
static void *give_some(void *arg)
{
	move_to(*(unsigned *)arg);
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (objects[i].h == NULL || one_in(&state, 2))
			continue;
		model_leave(&objects[i]);
		percpu_free(objects[i].h);
		objects[i].h = NULL;
	}
	return NULL;
}

int main(void)
{
	if (!OBJECTS_ARE_PLAIN)
		SKIP("a sanitizer's red zones lie between objects");
	find_two_cpus();
	for (unsigned round = 0; round < ROUNDS; round++) {
		in_thread(take_all, &cpus[round % 2]);
		in_thread(give_some, &cpus[(round + 1) % 2]);
		/* On the CPU that freed them, or the one that had them. */
		in_thread(take_all, &cpus[(round / 2) % 2]);
		in_thread(give_some, &cpus[round % 2]);
	}
	for (unsigned i = 0; i < 64; i++)
		in_thread(give_some, &cpus[i % 2]);
	books_check_empty();
	return TEST_PASS;
}

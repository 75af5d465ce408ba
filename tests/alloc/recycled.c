/* SPDX-License-Identifier: MIT */
/*
 * Memory that was freed and is given out again reads zero in every slot, also
 * in one that was written through percpu_ptr for a CPU never run on; what is
 * live beside it is left as it was.
 */
#include "slots.h"

#define OBJECTS 256u
#define ROUNDS 40u

static struct {
	char PERCPU *h;
	size_t size;
	int byte; /* that fills it */
} objects[OBJECTS];

static uint64_t random_state = 7;

static unsigned pick(unsigned below)
{
	random_state =
		random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((random_state >> 33) % below);
}

static void renew(unsigned i)
{
	objects[i].size = pick(8) == 0 ? 1 + pick(5000) : 1 + pick(64);
	objects[i].h = must_alloc(objects[i].size, (size_t)1 << pick(7));
	if (!is_filled(objects[i].h, objects[i].size, 0))
		FAIL("object %u is not zero", i);
	objects[i].byte = (int)(1 + pick(255));
	fill(objects[i].h, objects[i].size, objects[i].byte);
}

/* One slot, one byte, the others left alone. */
static void check_single_slot(void)
{
	unsigned slots = percpu_nr_slots();
	char PERCPU *h;

	for (unsigned slot = 0; slot <= slots; slot++) {
		h = must_alloc(7, 1);
		percpu_ptr(h, slot)[6] = 1;
		percpu_free(h);
		h = must_alloc(7, 1);
		CHECK(is_filled(h, 7, 0));
		percpu_free(h);
	}
}

int main(void)
{
	check_single_slot();
	for (unsigned i = 0; i < OBJECTS; i++)
		renew(i);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < OBJECTS; i++)
			if (pick(2) == 0) {
				percpu_free(objects[i].h);
				objects[i].h = NULL;
			}
		for (unsigned i = 0; i < OBJECTS; i++)
			if (objects[i].h == NULL)
				renew(i);
		for (unsigned i = 0; i < OBJECTS; i++)
			CHECK(is_filled(objects[i].h, objects[i].size,
					objects[i].byte));
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(objects[i].h);
	return TEST_PASS;
}

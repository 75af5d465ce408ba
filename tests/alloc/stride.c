/* SPDX-License-Identifier: MIT */
/*
 * One stride for all objects: slot(i) = handle + (i + 1) * stride in several
 * chunks, for handles and for fields, from inlined and exported functions; and
 * no slot of an object is any other's.
 */
#include "slots.h"

#define OBJECTS 40u

struct pair {
	uint64_t a;
	uint64_t b;
};

static void check_slots(struct pair PERCPU *h)
{
	size_t stride = percpu_stride();
	unsigned i = 0;
	struct pair *slot;

	percpu_for_each_slot (slot, h) {
		uintptr_t want = (uintptr_t)h + (i + 1) * stride;

		CHECK_EQ((uintptr_t)slot, want);
		CHECK_EQ((uintptr_t)percpu_ptr(h, i), want);
		CHECK_EQ((uintptr_t)percpu_ptr_raw(h, i), want);
		CHECK_EQ((uintptr_t)percpu_ptr(&h->b, i), want + 8);
		i++;
	}
	CHECK_EQ(i, percpu_nr_slots() + 1);
	CHECK(percpu_shared_ptr(h) == percpu_ptr(h, percpu_nr_slots()));
	CHECK(percpu_shared_ptr_raw(h) == percpu_shared_ptr(h));
}

/* A number that no other object and slot has. */
static uint64_t tag(unsigned object, unsigned slot)
{
	return ((uint64_t)object + 1) << 32 | slot;
}

int main(void)
{
	static struct pair PERCPU *h[OBJECTS];
	size_t size = percpu_max_size() / 8 / 16 * 16;
	unsigned slots = percpu_nr_slots();

	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = percpu_alloc(size, 16);
		CHECK(h[i] != NULL);
		check_slots(h[i]);
		for (unsigned s = 0; s <= slots; s++)
			percpu_ptr(h[i], s)->b = tag(i, s);
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		for (unsigned s = 0; s <= slots; s++)
			CHECK_EQ(percpu_ptr(h[i], s)->b, tag(i, s));
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[i]);
	return TEST_PASS;
}

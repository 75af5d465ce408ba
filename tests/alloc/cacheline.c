/* SPDX-License-Identifier: MIT */
/*
 * percpu_alloc_cacheline() gives whole lines: in every slot the object starts
 * on one and nothing else, of whatever size, lies on any of its lines.
 */
#include "slots.h"

#define OBJECTS 400u

struct counters {
	uint64_t packets;
	uint64_t bytes;
	char name[70];
};

static struct {
	uintptr_t h;
	size_t bytes; /* as given */
	bool lines;
} objects[OBJECTS];

static uintptr_t line_of(uintptr_t at)
{
	return at / PERCPU_LINE;
}

static void enter(unsigned i, char PERCPU *h, size_t size, bool lines)
{
	char *slot;

	if (h == NULL)
		FAIL("no object of %zu bytes: %s", size, strerror(errno));
	objects[i].h = (uintptr_t)h;
	objects[i].bytes = percpu_usable_size(h);
	objects[i].lines = lines;
	CHECK(is_filled(h, size, 0));
	CHECK(objects[i].bytes >= size);
	if (!lines)
		return;
	CHECK_EQ(objects[i].bytes % PERCPU_LINE, 0);
	CHECK(objects[i].bytes < size + PERCPU_LINE);
	percpu_for_each_slot (slot, h)
		CHECK_EQ((uintptr_t)slot % PERCPU_LINE, 0);
}

/* The stride is of whole lines, so what is true of handles is of slots. */
static void check_apart(unsigned a, unsigned b)
{
	uintptr_t last_a = line_of(objects[a].h + objects[a].bytes - 1);
	uintptr_t last_b = line_of(objects[b].h + objects[b].bytes - 1);

	if (a == b || (!objects[a].lines && !objects[b].lines))
		return;
	if (line_of(objects[a].h) <= last_b && line_of(objects[b].h) <= last_a)
		FAIL("%zu bytes and %zu are on one line", objects[a].bytes,
		     objects[b].bytes);
}

/* Small ones all about, of which some are freed so that there are holes. */
static void take_all(void)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		size_t size = 1 + i * 37 % 300;

		if (i % 2 == 0)
			enter(i, percpu_alloc_cacheline(size), size, true);
		else
			enter(i, percpu_alloc(1 + size % 20, 4), 1 + size % 20,
			      false);
	}
}

static void renew(unsigned i)
{
	size_t size = 1 + i * 53 % 200;

	percpu_free((char PERCPU *)objects[i].h);
	if (i % 4 == 0)
		enter(i, percpu_alloc_cacheline(size), size, true);
	else
		enter(i, percpu_alloc(size, 1), size, false);
}

static void check_all(void)
{
	CHECK_EQ(percpu_stride() % PERCPU_LINE, 0);
	for (unsigned a = 0; a < OBJECTS; a++)
		for (unsigned b = 0; b < a; b++)
			check_apart(a, b);
}

static void check_new(void)
{
	struct counters PERCPU *h = percpu_new_cacheline(struct counters);
	uint64_t PERCPU *word = percpu_new_cacheline(uint64_t);

	CHECK(h != NULL && word != NULL);
	CHECK_EQ(percpu_usable_size(h),
		 percpu_line_roundup(sizeof(struct counters)));
	CHECK_EQ(percpu_usable_size(word), PERCPU_LINE);
	CHECK_EQ((uintptr_t)percpu_ptr(h, 0) % PERCPU_LINE, 0);
	percpu_add(&h->bytes, 3);
	CHECK_EQ(percpu_sum(&h->bytes), 3);
	percpu_free(h);
	percpu_free(word);
}

static void refused(size_t size, int err)
{
	errno = 0;
	if (percpu_alloc_cacheline(size) != NULL)
		FAIL("%zu bytes were given", size);
	CHECK_EQ(errno, err);
}

int main(void)
{
	refused(0, EINVAL);
	refused(percpu_max_size() + 1, ENOMEM);
	refused(SIZE_MAX, ENOMEM);
	refused(SIZE_MAX - PERCPU_LINE, ENOMEM);
	refused((size_t)PTRDIFF_MAX, ENOMEM);
	take_all();
	check_all();
	for (unsigned i = 0; i < OBJECTS; i += 3)
		renew(i);
	check_all();
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free((char PERCPU *)objects[i].h);
	enter(0, percpu_alloc_cacheline(percpu_max_size()), percpu_max_size(),
	      true);
	check_new();
	return TEST_PASS;
}

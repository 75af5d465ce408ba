/* SPDX-License-Identifier: MIT */
/*
 * wash.c: an object that is washed is zero in every slot and nothing beside it
 * has changed, with few slots and with many, whether the system tells what is
 * resident or not; no page becomes resident by it, and what the system said is
 * not believed once something was given back.
 */
#include "wash.h"
#include "bits.h"
#include "check.h"
#include "debug.h"
#include "layout.h"
#include "memory.h"
#include "os.h"
#include "random.h"

#include <errno.h>

#define MANY 256u

struct percpu__rt percpu__rt;

static struct percpu__chunk *chunk;
static uint64_t random_state = 11;
static bool untold; /* the system does not tell */
static unsigned asked;

int __real_percpu__os_resident(const void *p, size_t pages, uint64_t *bits);
int __wrap_percpu__os_resident(const void *p, size_t pages, uint64_t *bits);
int __wrap_percpu__os_resident(const void *p, size_t pages, uint64_t *bits)
{
	asked++;
	return untold ? -EACCES : __real_percpu__os_resident(p, pages, bits);
}

bool percpu__debug_chunk(void *p, size_t len, bool on)
{
	(void)p;
	(void)len;
	(void)on;
	return true;
}

/* A chunk of @slots units. */
static void open_chunk(uint32_t slots)
{
	percpu__rt.nr_slots = slots;
	percpu__rt.stride = percpu__layout_stride(slots);
	percpu__chunk_geometry.len = 0;
	percpu__chunk_start();
	chunk = percpu__chunk_create(false);
	CHECK(chunk != NULL);
	asked = 0;
}

static char *slot_of(uint64_t item, uint32_t slot)
{
	return (char *)percpu__book_handle(item) +
	       (slot + 1) * percpu__rt.stride;
}

static void fill(uint64_t item, size_t bytes, uint32_t slot, int byte)
{
	memset(slot_of(item, slot), byte, bytes);
}

/* Whether @item is filled with @byte in @slot. */
static bool is_filled(uint64_t item, size_t bytes, uint32_t slot, int byte)
{
	const char *p = slot_of(item, slot);

	for (size_t i = 0; i < bytes; i++)
		if (p[i] != (char)byte)
			return false;
	return true;
}

static bool is_zero(uint64_t item, size_t bytes)
{
	for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++)
		if (!is_filled(item, bytes, i, 0))
			return false;
	return true;
}

static unsigned take(size_t bytes, unsigned n, uint64_t *items)
{
	uint32_t grains = (uint32_t)(bytes / PERCPU__GRAIN);

	n = percpu__book_take(chunk, grains, grains == 1 ? 1 : 2, n, items);
	CHECK(n != 0);
	return n;
}

/* Some slots, the first or the last more often. */
static uint32_t some_slot(void)
{
	uint32_t slots = percpu__rt.nr_slots + 1;

	switch (pick(&random_state, 4)) {
	case 0: return 0;
	case 1: return slots - 1;
	default: return pick(&random_state, slots);
	}
}

typedef void wash_fn(void *h, size_t bytes);

/* One of three objects side by side is washed, and it alone. */
static void wash_one(wash_fn *wash, size_t bytes, uint32_t slot)
{
	uint64_t items[3];

	CHECK_EQ(take(bytes, 3, items), 3);
	for (unsigned i = 0; i < 3; i++)
		fill(items[i], bytes, slot, 0x80 + (int)i);
	/* One byte alone, too. */
	*slot_of(items[1], some_slot()) = 1;
	slot_of(items[1], some_slot())[bytes - 1] = 1;
	wash(percpu__book_handle(items[1]), bytes);
	CHECK(is_zero(items[1], bytes));
	CHECK(is_filled(items[0], bytes, slot, 0x80));
	CHECK(is_filled(items[2], bytes, slot, 0x82));
	percpu__book_give(chunk, items, 3);
}

static void wash_each(uint32_t slots)
{
	static const size_t small[] = { 4,  8,	16,  24,  56,	64,
					72, 88, 256, 264, 1016, 1024 };
	static const size_t large[] = { 1032, 4000, 4096, 4104, 8200, 20000 };
	uint64_t odd;

	open_chunk(slots);
	/* Objects begin off pages. */
	take(24, 1, &odd);
	for (unsigned i = 0; i < 12 * 5; i++)
		wash_one(percpu__wash_small, small[i % 12], some_slot());
	for (unsigned i = 0; i < 6 * 8; i++) {
		if (large[i % 6] * 3 + 24 > percpu__rt.stride)
			continue;
		untold = i % 3 == 2;
		wash_one(percpu__wash_large, large[i % 6], some_slot());
	}
	untold = false;
	percpu__chunk_destroy(chunk);
}

static uint64_t soiled(uint64_t item)
{
	return item | PERCPU__DIRTY;
}

/*
 * Wash the even ones of a batch that is filled all over: those whose mark is
 * gone are zero, the odd ones are as they were.
 */
static void wash_batch(size_t bytes, unsigned n, bool given)
{
	uint64_t items[64];
	uint32_t slot = some_slot();

	CHECK_EQ(take(bytes, n, items), n);
	for (unsigned i = 0; i < n; i++) {
		fill(items[i], bytes, slot, 0x11);
		fill(items[i], bytes, some_slot(), 0x11);
		items[i] = i % 2 == 0 ?
				   soiled(items[i]) :
				   (uintptr_t)percpu__book_handle(items[i]);
	}
	percpu__wash_all(items, n, bytes, given);
	for (unsigned i = 0; i < n; i += 2)
		if ((items[i] & PERCPU__DIRTY) == 0)
			CHECK(is_zero(items[i], bytes));
		else
			CHECK(!percpu__wash_many_slots());
	for (unsigned i = 1; i < n; i += 2)
		CHECK(is_filled(items[i], bytes, slot, 0x11));
	percpu__book_give(chunk, items, n);
}

static void wash_batches(uint32_t slots)
{
	static const size_t sizes[] = { 4, 8, 40, 512, 1000 };
	uint64_t odd;

	open_chunk(slots);
	take(4056, 1, &odd);
	for (unsigned i = 0; i < 5 * 12; i++) {
		untold = i % 5 == 4;
		wash_batch(sizes[i % 5], 1 + pick(&random_state, 50),
			   i % 2 == 0);
	}
	untold = false;
	percpu__chunk_destroy(chunk);
}

/* Bytes of the chunk's slots that take memory, as the kernel counts them. */
static size_t taken(void)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	uintptr_t slots = (uintptr_t)chunk->base + percpu__rt.stride;
	char line[256];
	size_t kib = 0;
	bool ours = false;

	if (f == NULL)
		SKIP("no /proc/self/smaps");
	while (fgets(line, sizeof(line), f) != NULL) {
		unsigned long from;
		unsigned long end;

		if (sscanf(line, "%lx-%lx ", &from, &end) == 2)
			ours = from <= slots && slots < end;
		else if (ours && strncmp(line, "Anonymous:", 10) == 0)
			kib = strtoul(line + 10, NULL, 10);
	}
	fclose(f);
	return kib * 1024;
}

/* Pages of few slots are written, and no others by making objects zero. */
static void stays_away(uint32_t slots)
{
	uint64_t items[64];
	uint64_t word;
	size_t before;
	unsigned n;

	open_chunk(slots);
	take(4, 1, &word);
	n = take(1000, 30, items);
	for (unsigned i = 0; i < n; i++)
		items[i] = soiled(items[i]);
	/* One that goes on in the next page, which stays away. */
	fill(items[4], 8, slots / 2, 3);
	before = taken();
	percpu__wash_small(percpu__book_handle(word), 4);
	percpu__wash_small(percpu__book_handle(items[4]), 1000);
	fill(items[4], 8, slots / 2, 3);
	percpu__wash_large(percpu__book_handle(items[4]), 1000);
	percpu__wash_all(items, n, 1000, true);
	percpu__wash_all(items, n, 1000, false);
	untold = true;
	percpu__wash_large(percpu__book_handle(items[4]), 1000);
	untold = false;
	if (MEMORY_IS_OURS)
		CHECK_EQ(taken(), before);
	percpu__chunk_destroy(chunk);
}

/* The program writes to @item, frees it, and it is taken again. */
static void go_round(uint64_t *item, size_t bytes, uint32_t slot)
{
	fill(*item, bytes, slot, 0x77);
	percpu__book_give(chunk, item, 1);
	take(bytes, 1, item);
	CHECK((*item & PERCPU__DIRTY) != 0);
}

/* Many slots: one answer serves until something is given back. */
static void remembered(void)
{
	uint64_t items[3];

	open_chunk(MANY);
	take(4096, 3, items);
	go_round(&items[0], 4096, 5);
	percpu__wash_all(items, 1, 4096, true);
	CHECK(is_zero(items[0], 4096));
	CHECK_EQ(asked, 1);
	items[0] = soiled(items[0]);
	percpu__wash_all(items, 1, 4096, true);
	CHECK_EQ(asked, 1);
	/* A page of another slot has become resident. */
	go_round(&items[1], 4096, 9);
	percpu__wash_all(&items[1], 1, 4096, true);
	CHECK(is_zero(items[1], 4096));
	CHECK_EQ(asked, 2);
	percpu__chunk_destroy(chunk);
}

/* What went round by a cache was given back to none: it is asked after. */
static void not_remembered(void)
{
	uint64_t items[3];

	open_chunk(MANY);
	take(4096, 3, items);
	go_round(&items[0], 4096, 5);
	percpu__wash_all(items, 1, 4096, true);
	CHECK_EQ(asked, 1);
	fill(items[0], 4096, 200, 0x33);
	items[0] = soiled(items[0]);
	percpu__wash_all(items, 1, 4096, false);
	CHECK(is_zero(items[0], 4096));
	CHECK_EQ(asked, 2);
	/* So is an object that is washed alone. */
	fill(items[0], 4096, 100, 0x33);
	percpu__wash_large(percpu__book_handle(items[0]), 4096);
	CHECK(is_zero(items[0], 4096));
	CHECK_EQ(asked, 3);
	percpu__chunk_destroy(chunk);
}

/* While another thread looks, or the system does not tell, nothing is kept. */
static void not_kept(void)
{
	uint64_t item;

	open_chunk(MANY);
	take(4096, 1, &item);
	go_round(&item, 4096, 5);
	chunk->seen.lock = 1;
	percpu__wash_all(&item, 1, 4096, true);
	CHECK(is_zero(item, 4096));
	CHECK_EQ(chunk->seen.lock, 1);
	chunk->seen.lock = 0;
	go_round(&item, 4096, 77);
	untold = true;
	percpu__wash_all(&item, 1, 4096, true);
	CHECK(is_zero(item, 4096));
	untold = false;
	CHECK_EQ(asked, 2);
	item = soiled(item);
	percpu__wash_all(&item, 1, 4096, true);
	CHECK_EQ(asked, 3);
	percpu__chunk_destroy(chunk);
}

/* Few slots: the system is asked where the answer serves again. */
static void worth_asking(void)
{
	uint64_t items[3];

	open_chunk(2);
	take(512, 3, items);
	go_round(&items[0], 512, 1);
	percpu__wash_all(items, 1, 512, true);
	CHECK_EQ(asked, 0);
	CHECK((items[0] & PERCPU__DIRTY) != 0);
	percpu__wash_all(items, 1, 512, true);
	CHECK_EQ(asked, 1);
	CHECK((items[0] & PERCPU__DIRTY) == 0);
	CHECK(is_zero(items[0], 512));
	percpu__chunk_destroy(chunk);
}

int main(void)
{
	static const uint32_t slots[] = { 1, 2, 7, 8, MANY, 271, 273, 300 };

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		wash_each(slots[i]);
		wash_batches(slots[i]);
	}
	stays_away(2);
	stays_away(MANY);
	remembered();
	not_remembered();
	not_kept();
	worth_asking();
	return TEST_PASS;
}

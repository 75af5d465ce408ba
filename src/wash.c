/* SPDX-License-Identifier: MIT */
/*
 * wash.c: recycled memory reads zero in every slot.
 *
 * It may be other than zero in any slot, also in that of a CPU which never ran
 * here: percpu_ptr() reaches them all. With few slots and a small object all
 * are read: that takes a nanosecond a slot where the lines are at hand. With
 * 256 slots it would take a page fault and a cache miss for each, so the
 * kernel is asked once, for many objects of a chunk together, which pages are
 * resident; the others are zero. With few slots that is done, too, where the
 * answer serves for many objects. Where the kernel does not say, all are read.
 * What it said is kept in the chunk's book for the next objects from there,
 * until any object is given back.
 *
 * Why what it says stays true for the objects at hand: nobody writes to an
 * object that was freed, so a page that becomes resident later becomes so by a
 * neighbour, and is zero where the object is.
 *
 * When: as late as can be, when the object is about to be given out.
 */
#include "wash.h"

#include "annot.h"
#include "bits.h"
#include "os.h"

#include <percpu/base.h>

#include <string.h>

/* Two words as one, wherever a word may lie. */
typedef uint64_t two __attribute__((vector_size(16), aligned(8), may_alias));

static bool any(const uint64_t *word, size_t n)
{
	two found = { 0, 0 };
	size_t i = 0;

	/* A line at a time. */
	for (; i + 8 <= n; i += 8)
		found |= (*(const two *)&word[i] | *(const two *)&word[i + 2]) |
			 (*(const two *)&word[i + 4] |
			  *(const two *)&word[i + 6]);
	for (; i < n; i++)
		found[0] |= word[i];
	return (found[0] | found[1]) != 0;
}

static void zero(void *p, size_t bytes)
{
	uint64_t *word = p;
	size_t n = bytes / sizeof(*word);

	if (bytes == PERCPU__GRAIN) {
		if (*(uint32_t *)p != 0)
			*(uint32_t *)p = 0;
		return;
	}
	if (!any(word, n))
		return;
	for (size_t i = 0; i < n; i++)
		if (word[i] != 0)
			word[i] = 0;
}

/* The commonest size. */
static void wash_word(void *h)
{
	uint64_t stride = percpu__rt.stride;
	char *slot = h;

	for (uint32_t left = percpu__rt.nr_slots + 1; left > 0; left--) {
		slot += stride;
		if (*(uint64_t *)(void *)slot != 0)
			*(uint64_t *)(void *)slot = 0;
	}
}

void percpu__wash_small(void *h, size_t bytes)
{
	uint64_t stride = percpu__rt.stride;
	char *slot = h;

	if (bytes == sizeof(uint64_t)) {
		wash_word(h);
		return;
	}

	for (uint32_t left = percpu__rt.nr_slots + 1; left > 0; left--) {
		slot += stride;
		zero(slot, bytes);
	}
}

/* Objects of one size in one chunk, and the pages of a unit they lie in. */
struct batch {
	const uint64_t *items;
	unsigned n;
	size_t bytes;
	uint32_t first;
	uint32_t end;
	bool given; /* see percpu__wash_all() */
};

static uint32_t page_of(uint64_t at)
{
	return (uint32_t)(at / percpu__chunk_geometry.page);
}

static void add(struct batch *b, uint64_t item)
{
	uint64_t at = percpu__chunk_offset(percpu__book_handle(item));
	uint32_t first = page_of(at);
	uint32_t end = page_of(at + b->bytes - 1) + 1;

	if (b->n == 0 || first < b->first)
		b->first = first;
	if (b->n == 0 || end > b->end)
		b->end = end;
	b->n++;
}

static void zero_pages(char *p, size_t bytes, const uint64_t *bits, uint32_t at)
{
	size_t page = percpu__chunk_geometry.page;

	while (bytes > 0) {
		size_t part = page - ((uintptr_t)p & (page - 1));

		if (part > bytes)
			part = bytes;
		if (percpu__bits_test(bits, at++))
			zero(p, part);
		p += part;
		bytes -= part;
	}
}

/* Wash @b in @slot, whose page number 0 is bit @at of @bits. */
static void wash_slot(const struct batch *b, uint32_t slot,
		      const uint64_t *bits, uint32_t at)
{
	if (percpu__bits_find(bits, true, at + b->first, at + b->end) ==
	    at + b->end)
		return;
	for (unsigned i = 0; i < b->n; i++) {
		char *h = percpu__book_handle(b->items[i]);

		if ((b->items[i] & PERCPU__DIRTY) != 0)
			zero_pages(h + (slot + 1) * percpu__rt.stride, b->bytes,
				   bits, at + page_of(percpu__chunk_offset(h)));
	}
}

/* Which pages of @n slots from @slot on are resident; all, if nobody knows. */
static int ask(struct percpu__chunk *c, uint32_t slot, uint32_t n,
	       uint64_t *bits)
{
	uint32_t pages = n * percpu__chunk_geometry.pages;
	char *p = c->base + (slot + 1) * percpu__rt.stride;
	int err = percpu__os_resident(p, pages, bits);

	if (err < 0)
		percpu__bits_mark(bits, 0, pages, true);
	return err;
}

/* What was found out about all slots, if it is still good; else ask again. */
static bool remember(struct percpu__chunk *c, uint64_t *bits)
{
	struct percpu__seen *seen = &c->seen;
	uint64_t gives = __atomic_load_n(&c->gives, __ATOMIC_ACQUIRE);

	if (__atomic_exchange_n(&seen->lock, 1, __ATOMIC_ACQUIRE) != 0)
		return false;
	percpu__annot_tsan_acquire(seen);
	if (seen->gives != gives)
		/* Without the lock worth_asking() looks at it. */
		__atomic_store_n(
			&seen->gives,
			ask(c, 0, percpu__rt.nr_slots + 1, seen->bits) < 0 ?
				0 :
				gives,
			__ATOMIC_RELAXED);
	memcpy(bits, seen->bits, sizeof(seen->bits));
	percpu__annot_tsan_release(seen);
	__atomic_store_n(&seen->lock, 0, __ATOMIC_RELEASE);
	return true;
}

/* Wash @b in as many slots from @slot on as are asked after at once. */
static uint32_t wash_slots(const struct batch *b, uint32_t slot)
{
	struct percpu__chunk *c =
		percpu__chunk_of(percpu__book_handle(b->items[0]));
	uint32_t per_unit = percpu__chunk_geometry.pages;
	uint32_t n = PERCPU__SEEN_PAGES / per_unit;
	uint32_t left = percpu__rt.nr_slots + 1 - slot;
	uint64_t bits[PERCPU__SEEN_PAGES / PERCPU__WORD_BITS];

	if (n > left)
		n = left;
	if (!b->given || n <= percpu__rt.nr_slots || !remember(c, bits))
		ask(c, slot, n, bits);
	for (uint32_t i = 0; i < n; i++)
		wash_slot(b, slot + i, bits, i * per_unit);
	return n;
}

static void wash(const struct batch *b)
{
	uint32_t slot = 0;

	while (slot <= percpu__rt.nr_slots)
		slot += wash_slots(b, slot);
}

void percpu__wash_large(void *h, size_t bytes)
{
	uint64_t item = (uintptr_t)h | PERCPU__DIRTY;
	struct batch b = { .items = &item, .bytes = bytes };

	if (!percpu__wash_many_slots() && bytes < percpu__chunk_geometry.page) {
		percpu__wash_small(h, bytes);
		return;
	}
	add(&b, item);
	wash(&b);
}

/* Those of the @n @items that lie in the chunk of the first. */
static struct batch same_chunk(const uint64_t *items, unsigned n, size_t bytes)
{
	struct batch b = { .items = items, .bytes = bytes };
	const char *base = percpu__chunk_base(percpu__book_handle(items[0]));

	while (b.n < n &&
	       percpu__chunk_base(percpu__book_handle(items[b.n])) == base)
		add(&b, items[b.n]);
	return b;
}

static bool any_dirty(const uint64_t *items, unsigned n)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < n; i++)
		all |= items[i];
	return (all & PERCPU__DIRTY) != 0;
}

/*
 * With few slots, whether to ask the system about a chunk now: where objects
 * are taken from it again and again and none is given back, so that the answer
 * serves for all of them.
 */
static bool worth_asking(struct percpu__chunk *c)
{
	struct percpu__seen *seen = &c->seen;
	uint64_t gives = __atomic_load_n(&c->gives, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&seen->gives, __ATOMIC_RELAXED) == gives ||
	       __atomic_exchange_n(&seen->taken, gives, __ATOMIC_RELAXED) ==
		       gives;
}

static bool wash_given(const struct batch *b)
{
	return percpu__wash_many_slots() ||
	       worth_asking(percpu__chunk_of(percpu__book_handle(b->items[0])));
}

void percpu__wash_all(uint64_t *items, unsigned n, size_t bytes, bool given)
{
	if (!any_dirty(items, n))
		return;
	for (unsigned i = 0; i < n;) {
		struct batch b = same_chunk(items + i, n - i, bytes);

		b.given = given;
		if (wash_given(&b)) {
			wash(&b);
			for (unsigned j = i; j < i + b.n; j++)
				items[j] &= ~(uint64_t)PERCPU__DIRTY;
		}
		i += b.n;
	}
}

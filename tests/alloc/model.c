/* SPDX-License-Identifier: MIT */
#include "model.h"

#include "books.h"
#include "random.h"
#include "slots.h"

enum { GRAIN = 4, WORD_GRAINS = 64, PIECE_WORDS = 16 };

/* Bits of PIECE_WORDS * WORD_GRAINS grains in a row, which start at @key. */
struct piece {
	uint64_t key; /* 0: nobody's */
	uint64_t taken[PIECE_WORDS];
};

enum { PIECES = 1 << 17 };

static struct piece pieces[PIECES];

static uint64_t *words_of(uint64_t key)
{
	uint64_t i = mix(key);
	uint64_t found;

	for (unsigned tries = 0; tries < PIECES; tries++, i++) {
		struct piece *p = &pieces[i % PIECES];

		found = 0;
		if (__atomic_compare_exchange_n(&p->key, &found, key, false,
						__ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) ||
		    found == key)
			return p->taken;
	}
	FAIL("the map is too small for all the chunks there were");
}

/* Let the grains of @bits, all in one word, be taken or not, as none was. */
static void mark_word(uint64_t grain, uint64_t bits, bool take)
{
	uint64_t key = grain / (WORD_GRAINS * PIECE_WORDS) + 1;
	uint64_t *word = &words_of(key)[grain / WORD_GRAINS % PIECE_WORDS];
	uint64_t before =
		take ? __atomic_fetch_or(word, bits, __ATOMIC_SEQ_CST) :
		       __atomic_fetch_and(word, ~bits, __ATOMIC_SEQ_CST);

	if ((before & bits) != (take ? 0 : bits))
		FAIL("%#jx is %s", (uintmax_t)grain * GRAIN,
		     take ? "another object's" : "not all there");
}

static void mark(const struct object *o, bool take)
{
	uint64_t grain = (uintptr_t)o->h / GRAIN;
	uint64_t end = grain + o->usable / GRAIN;

	while (grain < end) {
		uint64_t n = WORD_GRAINS - grain % WORD_GRAINS;
		uint64_t bits;

		if (n > end - grain)
			n = end - grain;
		bits = (n == WORD_GRAINS ? ~0ull : (1ull << n) - 1)
		       << grain % WORD_GRAINS;
		mark_word(grain, bits, take);
		grain += n;
	}
}

/* The first word that @pattern has in @slot; the n-th is n more. 0: none. */
static uint32_t seed_of(uint64_t pattern, unsigned slot)
{
	uint64_t seed = mix(pattern + slot);
	unsigned rare = percpu_nr_slots() < 16 ? 2 : 32;

	return pattern == 0 || seed % rare != 0 ? 0 : (uint32_t)(seed >> 32);
}

static uint32_t *words(const struct object *o, unsigned slot)
{
	return (uint32_t *)(void *)percpu_ptr(o->h, slot);
}

static void check_slot(const struct object *o, unsigned slot)
{
	uint32_t seed = seed_of(o->pattern, slot);
	const uint32_t *word = words(o, slot);

	for (uint32_t i = 0; i < o->usable / GRAIN; i++) {
		uint32_t want = seed == 0 ? 0 : seed + i;

		if (word[i] != want)
			FAIL("%zu bytes at %p, slot %u: word %u is %#x, not %#x",
			     o->size, (void *)o->h, slot, i, word[i], want);
	}
}

static void write_slot(const struct object *o, unsigned slot, uint32_t seed)
{
	uint32_t *word = words(o, slot);

	for (uint32_t i = 0; i < o->usable / GRAIN; i++)
		word[i] = seed == 0 ? 0 : seed + i;
}

void model_check(const struct object *o)
{
	for (unsigned slot = 0; slot <= percpu_nr_slots(); slot++)
		check_slot(o, slot);
}

void model_write(struct object *o, uint64_t pattern)
{
	for (unsigned slot = 0; slot <= percpu_nr_slots(); slot++) {
		uint32_t before = seed_of(o->pattern, slot);
		uint32_t seed = seed_of(pattern, slot);

		if (before != 0 || seed != 0)
			write_slot(o, slot, seed);
	}
	o->pattern = pattern;
}

void model_enter(struct object *o, char PERCPU *h, size_t size, size_t align)
{
	char *slot;

	o->h = h;
	o->size = size;
	o->usable = books_usable(h, size);
	o->pattern = 0;
	CHECK(o->usable >= size);
	CHECK(o->usable % GRAIN == 0 || !OBJECTS_ARE_PLAIN);
	CHECK_EQ((uintptr_t)h % GRAIN, 0);
	percpu_for_each_slot (slot, h)
		CHECK_EQ((uintptr_t)slot % align, 0);
	mark(o, true);
	if (!is_filled(h, o->usable, 0)) {
		model_check(o);
		FAIL("%zu bytes are not zero", size);
	}
}

void model_leave(struct object *o)
{
	model_check(o);
	CHECK_EQ(books_usable(o->h, o->size), o->usable);
	mark(o, false);
}

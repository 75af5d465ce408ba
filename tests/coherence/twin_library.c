/* SPDX-License-Identifier: MIT */
/*
 * twin_library.c: the sections of src/section_x86_64*.h in C, access by access.
 * tests/coherence/announced.c compares them with those.
 */
#include "announce.h"
#include "section.h"

/* Not 0: the address of no descriptor. */
#define ARMED 1u

/* Arm; the number of this thread's slot to *@i; false if it is refused. */
static bool begin(const struct percpu__section *s, uint32_t *i)
{
	STORE(&s->area->rseq_cs, ARMED);
	if ((int32_t)LOAD(&s->area->cpu_id) < 0)
		return false;
	*i = LOAD(s->index);
	return *i < LOAD(&percpu__rt.nr_slots);
}

static enum percpu__ran end(const struct percpu__section *s,
			    enum percpu__ran ran)
{
	STORE(&s->area->rseq_cs, 0);
	return ran;
}

/* What @s is to work on: the object of slot @i. */
static void *object(const struct percpu__section *s, uint32_t i)
{
	return (char *)s->h + ((uint64_t)i + 1) * LOAD(&percpu__rt.stride);
}

#define TWIN(op, bytes, bits, commit)                                          \
	enum percpu__ran percpu__section_##op##_##bytes(                       \
		struct percpu__section s, uint##bits##_t v)                    \
	{                                                                      \
		uint##bits##_t *slot;                                          \
		uint32_t i;                                                    \
                                                                               \
		if (!begin(&s, &i))                                            \
			return end(&s, PERCPU__REFUSED);                       \
		slot = object(&s, i);                                          \
		STORE(slot, (uint##bits##_t)(commit));                         \
		return end(&s, PERCPU__COMMITTED);                             \
	}

#define TWIN_VALUE(op, bytes, bits, commit, result)                            \
	enum percpu__ran percpu__section_##op##_##bytes(                       \
		struct percpu__section s, uint##bits##_t v,                    \
		uint##bits##_t *out)                                           \
	{                                                                      \
		uint##bits##_t *slot;                                          \
		uint##bits##_t old;                                            \
		uint32_t i;                                                    \
                                                                               \
		if (!begin(&s, &i))                                            \
			return end(&s, PERCPU__REFUSED);                       \
		slot = object(&s, i);                                          \
		old = LOAD(slot);                                              \
		STORE(out, (uint##bits##_t)(result));                          \
		STORE(slot, (uint##bits##_t)(commit));                         \
		return end(&s, PERCPU__COMMITTED);                             \
	}

#define TWIN_CMPXCHG(bytes, bits)                                              \
	enum percpu__ran percpu__section_cmpxchg_##bytes(                      \
		struct percpu__section s, uint##bits##_t expected,             \
		uint##bits##_t desired, uint##bits##_t *out)                   \
	{                                                                      \
		uint##bits##_t *slot;                                          \
		uint##bits##_t old;                                            \
		uint32_t i;                                                    \
                                                                               \
		if (!begin(&s, &i))                                            \
			return end(&s, PERCPU__REFUSED);                       \
		slot = object(&s, i);                                          \
		old = LOAD(slot);                                              \
		STORE(out, old);                                               \
		if (old != expected)                                           \
			return end(&s, PERCPU__MISSED);                        \
		STORE(slot, desired);                                          \
		return end(&s, PERCPU__COMMITTED);                             \
	}

#define TWINS(bytes, bits)                                                     \
	TWIN(add, bytes, bits, LOAD(slot) + v)                                 \
	TWIN(and, bytes, bits, LOAD(slot) & v)                                 \
	TWIN(or, bytes, bits, LOAD(slot) | v)                                  \
	TWIN(xor, bytes, bits, LOAD(slot) ^ v)                                 \
	TWIN(write, bytes, bits, v)                                            \
	TWIN_VALUE(xchg, bytes, bits, v, old)                                  \
	TWIN_VALUE(add_return, bytes, bits, old + v, old + v)                  \
	TWIN_CMPXCHG(bytes, bits)

TWINS(1, 8)
TWINS(2, 16)
TWINS(4, 32)
TWINS(8, 64)

/* A bin of a cache, or a stack. */
struct bin {
	uint64_t count;
	uint64_t item[];
};

/* The bin at @at in cache number @i; NULL while nobody may use the caches. */
static struct bin *bin_of(const struct percpu__caches *c, uint32_t i,
			  uint64_t at)
{
	uint64_t before = i * LOAD(&c->stride) + at;
	char *base = LOAD(&c->base);

	return base != NULL ? (struct bin *)(void *)(base + before) : NULL;
}

static enum percpu__ran pop(const struct percpu__section *s, struct bin *bin,
			    uint64_t bottom, uint64_t *out)
{
	uint64_t n = LOAD(&bin->count);

	if (n <= bottom)
		return end(s, PERCPU__MISSED);
	STORE(out, LOAD(&bin->item[n - 1]));
	STORE(&bin->count, n - 1);
	return end(s, PERCPU__COMMITTED);
}

static enum percpu__ran push(const struct percpu__section *s, struct bin *bin,
			     uint64_t limit, uint64_t item)
{
	uint64_t n = LOAD(&bin->count);

	if (n >= limit)
		return end(s, PERCPU__MISSED);
	STORE(&bin->item[n], item);
	STORE(&bin->count, n + 1);
	return end(s, PERCPU__COMMITTED);
}

enum percpu__ran percpu__section_stack_push(struct percpu__section s,
					    uint64_t capacity, uint64_t item)
{
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	return push(&s, object(&s, i), capacity, item);
}

enum percpu__ran percpu__section_stack_pop(struct percpu__section s,
					   uint64_t *out)
{
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	return pop(&s, object(&s, i), 0, out);
}

enum percpu__ran percpu__section_gated_push(struct percpu__section s,
					    const uint64_t *capacity,
					    uint64_t item)
{
	struct bin *bin;
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	bin = object(&s, i);
	return push(&s, bin, LOAD(capacity), item);
}

enum percpu__ran percpu__section_gated_pop(struct percpu__section s,
					   const uint64_t *floor, uint64_t *out)
{
	struct bin *bin;
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	bin = object(&s, i);
	return pop(&s, bin, LOAD(floor), out);
}

enum percpu__ran percpu__section_counter_add(struct percpu__section s,
					     uint64_t v, uint64_t reach)
{
	uint64_t *slot;
	uint64_t n;
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	slot = object(&s, i);
	n = LOAD(&slot[0]) + v;
	if (2 * n - LOAD(&slot[1]) + 2 * reach + 1 > 4 * reach + 1)
		return end(&s, PERCPU__MISSED);
	STORE(&slot[0], n);
	return end(&s, PERCPU__COMMITTED);
}

enum percpu__ran
percpu__section_counter_claim(struct percpu__section s,
			      struct percpu__counter_claim *out)
{
	uint64_t *slot;
	uint64_t told;
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	slot = object(&s, i);
	STORE(&out->slot, (struct percpu__counter_slot *)(void *)slot);
	told = LOAD(&slot[1]);
	STORE(&out->told, told);
	if ((told & 1) != 0)
		return end(&s, PERCPU__MISSED);
	STORE(&slot[1], 2 * LOAD(&slot[0]) + 1);
	return end(&s, PERCPU__COMMITTED);
}

enum percpu__ran percpu__section_pop(struct percpu__section s,
				     const struct percpu__caches *c,
				     uint64_t at, uint64_t *out)
{
	struct bin *bin;
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	bin = bin_of(c, i, at);
	return bin != NULL ? pop(&s, bin, 0, out) : end(&s, PERCPU__MISSED);
}

enum percpu__ran percpu__section_push(struct percpu__section s,
				      const struct percpu__caches *c,
				      uint64_t at, uint64_t limit,
				      uint64_t item)
{
	struct bin *bin;
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	bin = bin_of(c, i, at);
	return bin != NULL ? push(&s, bin, limit, item) :
			     end(&s, PERCPU__MISSED);
}

enum percpu__ran percpu__section_guarded_add(struct percpu__section s,
					     const struct percpu__guarded *g,
					     uint64_t mask, uint64_t v)
{
	uint64_t *slot;
	uint32_t i;

	if (!begin(&s, &i))
		return end(&s, PERCPU__REFUSED);
	if ((LOAD(&g->word) & mask) != 0)
		return end(&s, PERCPU__MISSED);
	s.h = NULL;
	slot = object(&s, i);
	slot = (uint64_t *)((uintptr_t)slot + (uintptr_t)LOAD(&g->handle));
	STORE(slot, LOAD(slot) + v);
	return end(&s, PERCPU__COMMITTED);
}

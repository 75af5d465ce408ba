/* SPDX-License-Identifier: MIT */
/*
 * twin_inlined.c: the sections of percpu/arch/x86_64*.h in C, access by access.
 * tests/coherence/announced.c compares them with those.
 */
#include "announce.h"
#include "arch_model.h"
#include "area.h"

/* Not 0: the address of no descriptor. */
#define ARMED 1u

static struct percpu__area *arm(void)
{
	struct percpu__area *area = percpu__area();

	STORE(&area->rseq_cs, ARMED);
	return area;
}

/* This thread's slot of @h; NULL where the section goes out. */
static void *find_slot(const struct percpu__area *area, void *h)
{
	uint32_t limit = LOAD(&percpu__rt.limit);
	int64_t index;
	uint32_t i;

	if (LOAD(&area->cpu_id) >= limit)
		return NULL;
	index = LOAD(&percpu__rt.index);
	i = LOAD((uint32_t *)((char *)__builtin_thread_pointer() + index));
	if (i >= limit)
		return NULL;
	return (char *)h + ((uint64_t)i + 1) * LOAD(&percpu__rt.stride);
}

#define TWIN(op, bytes, bits, commit)                                          \
	bool percpu__try_##op##_##bytes(void *h, uint##bits##_t v)             \
	{                                                                      \
		struct percpu__area *area = arm();                             \
		uint##bits##_t *slot = find_slot(area, h);                     \
                                                                               \
		if (slot != NULL)                                              \
			STORE(slot, (uint##bits##_t)(commit));                 \
		STORE(&area->rseq_cs, 0);                                      \
		return slot != NULL;                                           \
	}

/* The result is in a register within the section. */
#define TWIN_VALUE(op, bytes, bits, commit, result)                            \
	bool percpu__try_##op##_##bytes(void *h, uint##bits##_t v,             \
					uint##bits##_t *out)                   \
	{                                                                      \
		struct percpu__area *area = arm();                             \
		uint##bits##_t *slot = find_slot(area, h);                     \
                                                                               \
		if (slot != NULL) {                                            \
			uint##bits##_t old = LOAD(slot);                       \
                                                                               \
			STORE(slot, (uint##bits##_t)(commit));                 \
			*out = (uint##bits##_t)(result);                       \
		}                                                              \
		STORE(&area->rseq_cs, 0);                                      \
		return slot != NULL;                                           \
	}

#define TWIN_CMPXCHG(bytes, bits)                                              \
	bool percpu__try_cmpxchg_##bytes(void *h, uint##bits##_t expected,     \
					 uint##bits##_t desired,               \
					 uint##bits##_t *old)                  \
	{                                                                      \
		struct percpu__area *area = arm();                             \
		uint##bits##_t *slot = find_slot(area, h);                     \
                                                                               \
		if (slot != NULL) {                                            \
			*old = LOAD(slot);                                     \
			if (*old == expected)                                  \
				STORE(slot, desired);                          \
		}                                                              \
		STORE(&area->rseq_cs, 0);                                      \
		return slot != NULL;                                           \
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

bool percpu__try_push(void *h, uint64_t capacity, uint64_t v, uint64_t *n)
{
	struct percpu__area *area = arm();
	uint64_t *slot = find_slot(area, h);

	if (slot != NULL) {
		*n = LOAD(&slot[0]);
		if (*n < capacity) {
			STORE(&slot[1 + *n], v);
			STORE(&slot[0], *n + 1);
		}
	}
	STORE(&area->rseq_cs, 0);
	return slot != NULL;
}

bool percpu__try_pop(void *h, uint64_t *v, uint64_t *n)
{
	struct percpu__area *area = arm();
	uint64_t *slot = find_slot(area, h);

	if (slot != NULL) {
		*n = LOAD(&slot[0]);
		if (*n > 0) {
			*v = LOAD(&slot[*n]);
			STORE(&slot[0], *n - 1);
		}
	}
	STORE(&area->rseq_cs, 0);
	return slot != NULL;
}

bool percpu__try_counter_add(void *h, uint64_t v, uint64_t reach)
{
	struct percpu__area *area = arm();
	uint64_t *slot = find_slot(area, h);
	bool within = false;

	if (slot != NULL) {
		uint64_t n = LOAD(&slot[0]) + v;

		within =
			2 * n - LOAD(&slot[1]) + 2 * reach + 1 <= 4 * reach + 1;
		if (within)
			STORE(&slot[0], n);
	}
	STORE(&area->rseq_cs, 0);
	return within;
}

bool percpu__try_gated_push(void *h, const uint64_t *capacity, uint64_t v,
			    uint64_t *n, uint64_t *top)
{
	struct percpu__area *area = arm();
	uint64_t *slot = find_slot(area, h);

	if (slot != NULL) {
		*top = LOAD(capacity);
		*n = LOAD(&slot[0]);
		if (*n < *top) {
			STORE(&slot[1 + *n], v);
			STORE(&slot[0], *n + 1);
		}
	}
	STORE(&area->rseq_cs, 0);
	return slot != NULL;
}

bool percpu__try_gated_pop(void *h, const uint64_t *floor, uint64_t *v,
			   uint64_t *n, uint64_t *bottom)
{
	struct percpu__area *area = arm();
	uint64_t *slot = find_slot(area, h);

	if (slot != NULL) {
		*bottom = LOAD(floor);
		*n = LOAD(&slot[0]);
		if (*n > *bottom) {
			*v = LOAD(&slot[*n]);
			STORE(&slot[0], *n - 1);
		}
	}
	STORE(&area->rseq_cs, 0);
	return slot != NULL;
}

bool percpu__try_guarded_add(const struct percpu__guarded *g, uint64_t mask,
			     uint64_t v)
{
	struct percpu__area *area = arm();
	uint64_t *slot = NULL;

	if ((LOAD(&g->word) & mask) == 0) {
		slot = find_slot(area, NULL);
		if (slot != NULL) {
			slot = (uint64_t *)((uintptr_t)slot +
					    (uintptr_t)LOAD(&g->handle));
			STORE(slot, LOAD(slot) + v);
		}
	}
	STORE(&area->rseq_cs, 0);
	return slot != NULL;
}

/* No section: it arms nothing. */
void *percpu__try_this(void *h)
{
	return find_slot(percpu__area(), h);
}

/* SPDX-License-Identifier: MIT */
/*
 * twin_inlined.c: the sections of percpu/arch/x86_64.h in C, access by access.
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
			commit;                                                \
		STORE(&area->rseq_cs, 0);                                      \
		return slot != NULL;                                           \
	}

#define TWINS(bytes, bits)                                                     \
	TWIN(add, bytes, bits, STORE(slot, (uint##bits##_t)(LOAD(slot) + v)))  \
	TWIN(write, bytes, bits, STORE(slot, v))

TWINS(1, 8)
TWINS(2, 16)
TWINS(4, 32)
TWINS(8, 64)

/* No section: it arms nothing. */
void *percpu__try_this(void *h)
{
	return find_slot(percpu__area(), h);
}

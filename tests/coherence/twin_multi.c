/* SPDX-License-Identifier: MIT */
/*
 * twin_multi.c: blocks (percpu/arch/x86_64_multi.h, section_x86_64_multi.h) in
 * C, access by access, on a processor that stores 64 bytes at once. Several
 * adds anywhere are single ones in the model: they touch the same lines.
 */
#include "announce.h"
#include "arch_model.h"
#include "section.h"

/* Not 0: the address of no descriptor. */
#define ARMED 1u

/* One load and one store of @n fields. */
static void add(uint64_t *slot, const uint64_t *v, unsigned n)
{
	model_access(slot, n * sizeof(*slot), MODEL_READ);
	model_access(slot, n * sizeof(*slot), MODEL_WRITE);
	for (unsigned i = 0; i < n; i++)
		slot[i] += v[i];
}

static unsigned try_block(void *h, const uint32_t *which, const uint64_t *v,
			  unsigned n)
{
	struct percpu__area *area = percpu__area();
	uint32_t limit;
	int64_t index;
	uint32_t i;
	bool done = false;

	STORE(&area->rseq_cs, ARMED);
	limit = LOAD(which);
	if (LOAD(&area->cpu_id) < limit) {
		index = LOAD(&percpu__rt.index);
		i = LOAD((uint32_t *)((char *)__builtin_thread_pointer() +
				      index));
		done = i < limit;
	}
	if (done)
		add((void *)((char *)h +
			     ((uint64_t)i + 1) * LOAD(&percpu__rt.stride)),
		    v, n);
	STORE(&area->rseq_cs, 0);
	return done ? n : 0;
}

unsigned percpu__try_block_2(void *h, uint64_t v0, uint64_t v1)
{
	const uint64_t v[] = { v0, v1 };

	return try_block(h, &percpu__rt.limit, v, 2);
}

unsigned percpu__try_block_4(void *h, uint64_t v0, uint64_t v1, uint64_t v2,
			     uint64_t v3)
{
	const uint64_t v[] = { v0, v1, v2, v3 };

	return try_block(h, &percpu__rt.limit_32, v, 4);
}

unsigned percpu__try_block_8(void *h, uint64_t v0, uint64_t v1, uint64_t v2,
			     uint64_t v3, uint64_t v4, uint64_t v5, uint64_t v6,
			     uint64_t v7)
{
	const uint64_t v[] = { v0, v1, v2, v3, v4, v5, v6, v7 };

	return try_block(h, &percpu__rt.limit_64, v, 8);
}

#define TWIN(n)                                                                \
	enum percpu__ran percpu__section_block_##n(struct percpu__section s,   \
						   const uint64_t *v)          \
	{                                                                      \
		enum percpu__ran ran = PERCPU__REFUSED;                        \
		uint32_t i;                                                    \
                                                                               \
		STORE(&s.area->rseq_cs, ARMED);                                \
		if ((int32_t)LOAD(&s.area->cpu_id) >= 0) {                     \
			i = LOAD(s.index);                                     \
			if (i < LOAD(&percpu__rt.nr_slots)) {                  \
				add((void *)((char *)s.h +                     \
					     ((uint64_t)i +                    \
					      1) * LOAD(&percpu__rt.stride)),  \
				    v, n);                                     \
				ran = PERCPU__COMMITTED;                       \
			}                                                      \
		}                                                              \
		STORE(&s.area->rseq_cs, 0);                                    \
		return ran;                                                    \
	}

TWIN(2)
TWIN(4)
TWIN(8)

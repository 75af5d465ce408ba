/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SLOT_H
#define PERCPU_SRC_SLOT_H
/*
 * slot.h: which slot this thread uses, and by what means. percpu_this_slot()
 * of cpu.h and the raw pointers of twins.h are its public part.
 */
#include "policy.h"
#include "section.h"

/* The number of a thread's slot in its area. */
static inline const uint32_t *percpu__slot_index(const struct percpu__area *a)
{
	return percpu__policy_peek().index == PERCPU_INDEX_CID ? &a->mm_cid :
								 &a->cpu_id;
}

/* This thread's area, attached now if it was not; NULL if it cannot be. */
struct percpu__area *percpu__slot_attach(void);

/*
 * Prepare a sequence on @h in *@s: false if this thread may not run any, since
 * the policy has none or it has no area.
 */
static inline bool percpu__slot_section(struct percpu__section *s, void *h)
{
	if (percpu__policy_peek().mode != PERCPU_MODE_RSEQ)
		return false;
	s->area = percpu__area();
	if (__builtin_expect(s->area == NULL, 0))
		s->area = percpu__slot_attach();
	if (s->area == NULL)
		return false;
	s->index = percpu__slot_index(s->area);
	s->h = h;
	return true;
}

/*
 * The same, without a handle, where sequences are inlined into programs, for a
 * caller who knows that the policy is rseq: one load. False where they are not.
 */
static inline bool percpu__slot_inline_section(struct percpu__section *s)
{
#if PERCPU__HAVE_SECTIONS && defined(PERCPU__LIBC_AREA) &&                     \
	!defined(PERCPU__OWN_AREA)
	s->area = percpu__area();
	s->index = (const uint32_t *)((char *)__builtin_thread_pointer() +
				      percpu__rt.index);
	return true;
#else
	(void)s;
	return false;
#endif
}

/* The object of @h in unit or shared slot number @slot. */
static inline void *percpu__slot_object(void *h, uint32_t slot)
{
	return (char *)h + ((uint64_t)slot + 1) * percpu__rt.stride;
}

/*
 * Under the policy atomic, this CPU's object of @h, if that is known without a
 * call; else NULL.
 */
static inline void *percpu__slot_cpu(void *h)
{
	struct percpu__policy p = percpu__policy_peek();
	const struct percpu__area *area;
	uint32_t cpu;

	if (p.mode != PERCPU_MODE_ATOMIC || !p.cpu_id)
		return NULL;
	area = percpu__area();
	if (area == NULL)
		return NULL;
	cpu = (uint32_t)percpu__area_cpu(area);
	return cpu < percpu__rt.nr_slots ? percpu__slot_object(h, cpu) : NULL;
}

/*
 * The object of @h on which a thread that runs no sequence uses atomics: under
 * the policy atomic this CPU's unit, else the shared slot.
 */
void *percpu__slot_atomic(void *h);

#endif

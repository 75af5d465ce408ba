/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SLOT_H
#define PERCPU_SRC_SLOT_H
/*
 * slot.h: which slot this thread uses, and by what means. percpu_this_slot()
 * of cpu.h and the raw pointers of twins.h are its public part.
 */
#include "policy.h"
#include "section.h"

/*
 * Prepare a sequence on @h in *@s: false if this thread may not run any, since
 * the policy has none or it has no area.
 */
bool percpu__slot_section(struct percpu__section *s, void *h);

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
	uint32_t cpu;

	if (p.mode != PERCPU_MODE_ATOMIC || !p.cpu_id)
		return NULL;
	cpu = (uint32_t)percpu__area_cpu(percpu__area());
	return cpu < percpu__rt.nr_slots ? percpu__slot_object(h, cpu) : NULL;
}

/*
 * The object of @h on which a thread that runs no sequence uses atomics: under
 * the policy atomic this CPU's unit, else the shared slot.
 */
void *percpu__slot_atomic(void *h);

#endif

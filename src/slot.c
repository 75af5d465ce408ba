/* SPDX-License-Identifier: MIT */
#include "slot.h"

#include "os.h"

#include <percpu/twins.h>

struct percpu__area *percpu__slot_attach(void)
{
	percpu__area_attach(true);
	return percpu__area();
}

/* The unit of the CPU that the kernel names, the shared slot beyond them. */
static uint32_t atomic_slot(void)
{
	uint32_t shared = percpu__rt.nr_slots;
	int cpu;

	if (percpu__policy_peek().mode != PERCPU_MODE_ATOMIC)
		return shared;
	cpu = percpu__os_cpu();
	return cpu >= 0 && (uint32_t)cpu < shared ? (uint32_t)cpu : shared;
}

void *percpu__slot_atomic(void *h)
{
	return percpu__slot_object(h, atomic_slot());
}

/* This thread's slot as a sequence would find it now. */
static uint32_t section_slot(const struct percpu__section *s)
{
	uint32_t shared = percpu__rt.nr_slots;
	uint32_t index = __atomic_load_n(s->index, __ATOMIC_RELAXED);

	return percpu__area_cpu(s->area) >= 0 && index < shared ? index :
								  shared;
}

static uint32_t this_slot(void)
{
	struct percpu__section s;

	if (!percpu__slot_section(&s, NULL))
		return atomic_slot();
	return section_slot(&s);
}

unsigned percpu_this_slot(void)
{
	percpu__policy();
	return this_slot();
}

void *percpu_ptr_raw(void *h, unsigned slot)
{
	return percpu__slot_object(h, slot);
}

void *percpu_this_ptr_raw(void *h)
{
	void *slot = percpu__slot_cpu(h);

	if (slot != NULL)
		return slot;
	return percpu__slot_object(h, this_slot());
}

void *percpu_shared_ptr_raw(void *h)
{
	return percpu__slot_object(h, percpu__rt.nr_slots);
}

void *percpu_atomic_ptr_raw(void *h)
{
	percpu__policy();
	return percpu__slot_atomic(h);
}

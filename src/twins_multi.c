/* SPDX-License-Identifier: MIT */
/*
 * twins_multi.c: several adds at once as functions, and the ways out of the
 * inlined sections of percpu/multi.h.
 *
 * A list is single adds, one after the other, by the twins of twins.c: what an
 * inlined section leaves over is rare, and a caller by function pays more for
 * the call than a section of several adds would save.
 *
 * A block is cut into parts as large as the processor stores at once. A part is
 * one section, tried as twins.c does, or else an atomic for each field on the
 * shared slot; under the policy atomic, on the CPU's unit. Exactly once, by
 * part: (1) a section that reports aborted or refused has not reached its last
 * instruction, the only one that stores to a slot; (2) a part ends at its first
 * commit; (3) its atomics come after its last section.
 */
#include "again.h"
#include "slot.h"

#include <percpu/multi.h>

static void add_one(const struct percpu_addend *a)
{
	switch (a->size) {
	case 1: percpu_add_u8(a->h, (uint8_t)a->v); break;
	case 2: percpu_add_u16(a->h, (uint16_t)a->v); break;
	case 4: percpu_add_u32(a->h, (uint32_t)a->v); break;
	default: percpu_add_u64(a->h, a->v); break;
	}
}

void percpu_add_all_list(const struct percpu_addend *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_one(&list[i]);
}

static enum percpu__ran run(struct percpu__section s, const uint64_t *v,
			    size_t n)
{
	enum percpu__ran ran;

	if (n == 2)
		return percpu__section_block_2(s, v);
	ran = n == 4 ? percpu__section_block_4(s, v) :
		       percpu__section_block_8(s, v);
	percpu__section_clean();
	return ran;
}

static bool persist(void *h, const uint64_t *v, size_t n)
{
	struct percpu__section s;
	enum percpu__ran ran;
	unsigned tries = 0;

	if (!percpu__slot_section(&s, h))
		return false;
	do {
		ran = run(s, v, n);
	} while (percpu__again(ran, tries++));
	return ran == PERCPU__COMMITTED;
}

static void add_part(uint64_t *h, const uint64_t *v, size_t n)
{
	uint64_t *slot;

	if (persist(h, v, n))
		return;
	slot = percpu__slot_atomic(h);
	for (size_t i = 0; i < n; i++)
		__atomic_fetch_add(&slot[i], v[i], __ATOMIC_RELAXED);
}

/* How many fields of a block of @n are added at once. */
static size_t part_of(size_t n)
{
	size_t most = percpu__rt.vector / sizeof(uint64_t);

	if (most < 2 || (n != 2 && n != 4 && n != 8))
		return 1;
	return most < n ? most : n;
}

void percpu_add_block_u64(void *h, const uint64_t *v, size_t n)
{
	uint64_t *fields = h;
	size_t part = part_of(n);

	for (size_t i = 0; i < n; i += part) {
		if (part == 1)
			percpu_add_u64(&fields[i], v[i]);
		else
			add_part(&fields[i], &v[i], part);
	}
}

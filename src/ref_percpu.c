/* SPDX-License-Identifier: MIT */
/*
 * ref_percpu.c: how a reference comes to count per CPU.
 *
 *   atomic --begin--> PROMOTING, with the bias --enter--> per CPU
 *                          |
 *                          '--killed or STICKY meanwhile--> atomic
 *
 * One thread at a time promotes: the one whose compare-and-swap set the mark.
 * It has a reference, so nobody brings the word to zero meanwhile, with or
 * without the bias, and only it looks at what lies beside the word. Slots are
 * made zero, and the handle put there, before the word lets sections in.
 */
#include "ref.h"

#include "policy.h"
#include "slot.h"

#include <percpu/alloc.h>
#include <percpu/cpu.h>

/* What percpu__ref_percpu_can() has found. */
enum { UNKNOWN, CAN, CANNOT };
static int found;

bool percpu__ref_percpu_could(void)
{
	return __atomic_load_n(&found, __ATOMIC_RELAXED) == CAN;
}

bool percpu__ref_percpu_can(void)
{
	bool can;

	if (__atomic_load_n(&found, __ATOMIC_RELAXED) != UNKNOWN)
		return percpu__ref_percpu_could();
	can = percpu__policy().mode == PERCPU_MODE_RSEQ && percpu_fence() == 0;
	__atomic_store_n(&found, can ? CAN : CANNOT, __ATOMIC_RELAXED);
	return can;
}

bool percpu__ref_percpu_begin(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);

	do {
		if (percpu__ref_is_biased(word) ||
		    (word & (PERCPU__REF_DEAD | PERCPU__REF_STICKY)) != 0)
			return false;
	} while (!percpu__ref_change(
		r, &word,
		percpu__ref_own(word | PERCPU__REF_PROMOTING) +
			PERCPU__REF_BIAS));
	return true;
}

void percpu__ref_percpu_clean(void PERCPU *h)
{
	uint64_t *slot = percpu__slot_object(h, 0);

	for (uint32_t left = percpu__rt.nr_slots; left > 0; left--) {
		if (__atomic_load_n(slot, __ATOMIC_RELAXED) != 0)
			__atomic_store_n(slot, 0, __ATOMIC_RELAXED);
		slot += percpu__rt.stride / sizeof(*slot);
	}
}

bool percpu__ref_percpu_enter(struct percpu_ref *r, void PERCPU *h)
{
	void PERCPU *before = r->guarded.handle;
	uint64_t word = percpu__ref_load(r);
	uint64_t new;
	bool stay;

	percpu__ref_percpu_clean(h);
	percpu__ref_owner_set(h, r,
			      (word & PERCPU__REF_HANDLE) != 0 ?
				      percpu__ref_owner_release(h) :
				      (percpu_ref_fn *)(uintptr_t)before);
	do {
		stay = (word & (PERCPU__REF_DEAD | PERCPU__REF_STICKY)) != 0;
		__atomic_store_n(&r->guarded.handle, stay ? before : h,
				 __ATOMIC_RELAXED);
		new = percpu__ref_rest(word & ~(uint64_t)PERCPU__REF_PROMOTING);
		if (stay)
			new -= PERCPU__REF_BIAS;
		else
			new = (new & ~(uint64_t)PERCPU__REF_ATOMIC) |
			      PERCPU__REF_HANDLE;
	} while (!percpu__ref_change(r, &word, new));
	return !stay;
}

void percpu__ref_percpu_stop(struct percpu_ref *r)
{
	percpu__ref_clear(r, PERCPU__REF_PROMOTING,
			  0 - PERCPU__REF_BIAS / PERCPU__REF_ONE);
}

bool percpu__ref_percpu_start(struct percpu_ref *r, void PERCPU *h)
{
	if (!percpu__ref_percpu_begin(r) || !percpu__ref_percpu_enter(r, h))
		return false;
	percpu__ref_retire_agree(h);
	return true;
}

void PERCPU *percpu__ref_percpu_handle(void)
{
	return percpu_alloc(sizeof(uint64_t), sizeof(uint64_t));
}

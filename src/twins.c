/* SPDX-License-Identifier: MIT */
/*
 * twins.c: the operations as functions, and the ways out of inlined sections.
 *
 * A twin makes the whole operation: an inlined section that calls it has
 * stored nothing. It runs the sequence again; after TRIES aborts in a row it
 * uses an atomic on the shared slot, so that a thread which is single-stepped,
 * or in a storm of signals, ends too. A few aborts in a row already mean that
 * somebody interrupts it on purpose: a sequence takes nanoseconds, a time
 * slice milliseconds.
 *
 *              committed
 *   section ---------------> done
 *    |   ^ aborted, < TRIES
 *    |   '---.
 *    |-------'
 *    |  aborted, TRIES        refused: attach this thread, once
 *    v
 *   atomic on the shared slot; under the policy atomic on the CPU's unit
 *
 * Exactly once: (1) a section that reports aborted or refused has not reached
 * its last instruction, the only one that stores to a slot; (2) a twin stops at
 * the first commit; (3) the atomic comes after the last section. (4) No slot
 * sees both sections and atomics: see policy.c.
 */
#include "slot.h"

#include <percpu/twins.h>

#define TRIES 16

/* Whether to run the section again after it ended with @ran, the @n-th time. */
static bool again(enum percpu__ran ran, unsigned n)
{
	if (ran == PERCPU__REFUSED)
		return n == 0 && percpu__area_attach(true);
	return n + 1 < TRIES;
}

/* Run @section until it commits and return, or fall out of the loop. */
#define UNTIL_COMMITTED(h, section, v)                                         \
	do {                                                                   \
		struct percpu__section s;                                      \
		enum percpu__ran ran;                                          \
                                                                               \
		if (!percpu__slot_section(&s, h))                              \
			break;                                                 \
		for (unsigned n = 0;; n++) {                                   \
			ran = section(s, v);                                   \
			if (ran == PERCPU__COMMITTED)                          \
				return;                                        \
			if (!again(ran, n))                                    \
				break;                                         \
		}                                                              \
	} while (0)

static uint64_t sum(void *h, uint64_t (*load)(const void *))
{
	uint64_t total = 0;
	const char *slot = percpu_ptr_raw(h, 0);

	for (uint32_t left = percpu__rt.nr_slots + 1; left > 0; left--) {
		total += load(slot);
		slot += percpu__rt.stride;
	}
	return total;
}

#define TWINS(bytes, bits)                                                     \
	void percpu_add_u##bits(void *h, uint##bits##_t v)                     \
	{                                                                      \
		UNTIL_COMMITTED(h, percpu__section_add_##bytes, v);            \
		__atomic_fetch_add((uint##bits##_t *)percpu__slot_atomic(h),   \
				   v, __ATOMIC_RELAXED);                       \
	}                                                                      \
                                                                               \
	void percpu_sub_u##bits(void *h, uint##bits##_t v)                     \
	{                                                                      \
		percpu_add_u##bits(h, (uint##bits##_t)(0 - v));                \
	}                                                                      \
                                                                               \
	void percpu_inc_u##bits(void *h)                                       \
	{                                                                      \
		percpu_add_u##bits(h, 1);                                      \
	}                                                                      \
                                                                               \
	void percpu_dec_u##bits(void *h)                                       \
	{                                                                      \
		percpu_add_u##bits(h, (uint##bits##_t) - 1);                   \
	}                                                                      \
                                                                               \
	void percpu_write_u##bits(void *h, uint##bits##_t v)                   \
	{                                                                      \
		UNTIL_COMMITTED(h, percpu__section_write_##bytes, v);          \
		__atomic_store_n((uint##bits##_t *)percpu__slot_atomic(h), v,  \
				 __ATOMIC_RELAXED);                            \
	}                                                                      \
                                                                               \
	static uint64_t load_u##bits(const void *slot)                         \
	{                                                                      \
		return __atomic_load_n((const uint##bits##_t *)slot,           \
				       __ATOMIC_RELAXED);                      \
	}                                                                      \
                                                                               \
	uint##bits##_t percpu_read_u##bits(void *h)                            \
	{                                                                      \
		return (uint##bits##_t)load_u##bits(percpu_this_ptr_raw(h));   \
	}                                                                      \
                                                                               \
	uint##bits##_t percpu_sum_u##bits(void *h)                             \
	{                                                                      \
		return (uint##bits##_t)sum(h, load_u##bits);                   \
	}

TWINS(1, 8)
TWINS(2, 16)
TWINS(4, 32)
TWINS(8, 64)

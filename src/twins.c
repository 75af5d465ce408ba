/* SPDX-License-Identifier: MIT */
/*
 * twins.c: the operations as functions, and the ways out of inlined sections.
 *
 * A twin makes the whole operation: an inlined section that calls it has
 * stored nothing. It runs the sequence again; after PERCPU__TRIES aborts in a
 * row it uses an atomic on the shared slot, so that a thread which is
 * single-stepped, or in a storm of signals, ends too. twins_value.c has the
 * operations with a result.
 *
 *              committed
 *   section ---------------> done
 *    |   ^ aborted, < PERCPU__TRIES
 *    |   '---.
 *    |-------'
 *    |  aborted for the last time      refused: attach this thread, once
 *    v
 *   atomic on the shared slot; under the policy atomic on the CPU's unit
 *
 * Exactly once: (1) a section that reports aborted or refused has not reached
 * its last instruction, the only one that stores to a slot; (2) a twin stops at
 * the first commit; (3) the atomic comes after the last section. (4) No slot
 * sees both sections and atomics: see policy.c.
 */
#include "again.h"
#include "slot.h"

#include <percpu/arch.h>
#include <percpu/twins.h>

/*
 * percpu_OP_uN: the inlined section where it may run, which costs a policy
 * without sections one compare; then slow_OP_N: the section on whatever this
 * thread has, as long as that is worth while; then @atomic on @slot.
 */
#define TWIN(op, bytes, bits, atomic)                                          \
	static bool persist_##op##_##bits(void *h, uint##bits##_t v)           \
	{                                                                      \
		struct percpu__section s;                                      \
		enum percpu__ran ran;                                          \
		unsigned n = 0;                                                \
                                                                               \
		if (!percpu__slot_section(&s, h))                              \
			return false;                                          \
		do {                                                           \
			ran = percpu__section_##op##_##bytes(s, v);            \
		} while (percpu__again(ran, n++));                             \
		return ran == PERCPU__COMMITTED;                               \
	}                                                                      \
                                                                               \
	static __attribute__((noinline)) void slow_##op##_##bits(              \
		void *h, uint##bits##_t v)                                     \
	{                                                                      \
		if (!persist_##op##_##bits(h, v))                              \
			atomic((uint##bits##_t *)percpu__slot_atomic(h), v,    \
			       __ATOMIC_RELAXED);                              \
	}                                                                      \
                                                                               \
	void percpu_##op##_u##bits(void *h, uint##bits##_t v)                  \
	{                                                                      \
		uint##bits##_t *slot;                                          \
                                                                               \
		if (percpu__rt.limit != 0) {                                   \
			if (!percpu__try_##op##_##bytes(h, v))                 \
				slow_##op##_##bits(h, v);                      \
			return;                                                \
		}                                                              \
		slot = percpu__slot_cpu(h);                                    \
		if (slot != NULL)                                              \
			atomic(slot, v, __ATOMIC_RELAXED);                     \
		else                                                           \
			slow_##op##_##bits(h, v);                              \
	}

#define TWINS(bytes, bits)                                                     \
	TWIN(add, bytes, bits, __atomic_fetch_add)                             \
	TWIN(and, bytes, bits, __atomic_fetch_and)                             \
	TWIN(or, bytes, bits, __atomic_fetch_or)                               \
	TWIN(xor, bytes, bits, __atomic_fetch_xor)                             \
	TWIN(write, bytes, bits, __atomic_store_n)                             \
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
	uint##bits##_t percpu_read_u##bits(void *h)                            \
	{                                                                      \
		void *slot = percpu__try_this(h);                              \
                                                                               \
		if (slot == NULL)                                              \
			slot = percpu_this_ptr_raw(h);                         \
		return __atomic_load_n((uint##bits##_t *)slot,                 \
				       __ATOMIC_RELAXED);                      \
	}                                                                      \
                                                                               \
	uint##bits##_t percpu_sum_u##bits(void *h)                             \
	{                                                                      \
		uint##bits##_t total = 0;                                      \
		char *slot = percpu_ptr_raw(h, 0);                             \
                                                                               \
		for (uint32_t left = percpu__rt.nr_slots + 1; left > 0;        \
		     left--) {                                                 \
			total += __atomic_load_n(                              \
				(uint##bits##_t *)(void *)slot,                \
				__ATOMIC_RELAXED);                             \
			slot += percpu__rt.stride;                             \
		}                                                              \
		return total;                                                  \
	}

TWINS(1, 8)
TWINS(2, 16)
TWINS(4, 32)
TWINS(8, 64)

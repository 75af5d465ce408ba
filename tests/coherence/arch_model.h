/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_ARCH_MODEL_H
#define TESTS_COHERENCE_ARCH_MODEL_H
/*
 * arch_model.h: what percpu/arch.h chooses for the model: the operations of
 * arch/x86_64*.h as functions in C, of twin_inlined.c.
 */
#include <percpu/arch/single_multi.h>
#include <percpu/base.h>
#include <stdbool.h>

#define PERCPU__MODEL_OP(op, bytes, bits)                                      \
	bool percpu__try_##op##_##bytes(void PERCPU *h, uint##bits##_t v);

#define PERCPU__MODEL_VALUE(op, bytes, bits)                                   \
	bool percpu__try_##op##_##bytes(void PERCPU *h, uint##bits##_t v,      \
					uint##bits##_t *out);

#define PERCPU__MODEL_OPS(bytes, bits)                                         \
	PERCPU__MODEL_OP(add, bytes, bits)                                     \
	PERCPU__MODEL_OP(and, bytes, bits)                                     \
	PERCPU__MODEL_OP(or, bytes, bits)                                      \
	PERCPU__MODEL_OP(xor, bytes, bits)                                     \
	PERCPU__MODEL_OP(write, bytes, bits)                                   \
	PERCPU__MODEL_VALUE(xchg, bytes, bits)                                 \
	PERCPU__MODEL_VALUE(add_return, bytes, bits)                           \
	bool percpu__try_cmpxchg_##bytes(                                      \
		void PERCPU *h, uint##bits##_t expected,                       \
		uint##bits##_t desired, uint##bits##_t *old);

PERCPU__MODEL_OPS(1, 8)
PERCPU__MODEL_OPS(2, 16)
PERCPU__MODEL_OPS(4, 32)
PERCPU__MODEL_OPS(8, 64)

bool percpu__try_push(void PERCPU *h, uint64_t capacity, uint64_t v,
		      uint64_t *n);
bool percpu__try_pop(void PERCPU *h, uint64_t *v, uint64_t *n);
bool percpu__try_counter_add(void PERCPU *h, uint64_t v, uint64_t reach);
bool percpu__try_gated_push(void PERCPU *h, const uint64_t *capacity,
			    uint64_t v, uint64_t *n, uint64_t *top);
bool percpu__try_gated_pop(void PERCPU *h, const uint64_t *floor, uint64_t *v,
			   uint64_t *n, uint64_t *bottom);
bool percpu__try_guarded_add(const struct percpu__guarded *g, uint64_t mask,
			     uint64_t v);
unsigned percpu__try_block_2(void PERCPU *h, uint64_t v0, uint64_t v1);
unsigned percpu__try_block_4(void PERCPU *h, uint64_t v0, uint64_t v1,
			     uint64_t v2, uint64_t v3);
unsigned percpu__try_block_8(void PERCPU *h, uint64_t v0, uint64_t v1,
			     uint64_t v2, uint64_t v3, uint64_t v4, uint64_t v5,
			     uint64_t v6, uint64_t v7);

void *percpu__try_this(void PERCPU *h);

static inline void percpu__acquire(void)
{
}

static inline void percpu__release(void)
{
}

/* The running virtual CPU's thread in place of the real one. */
#include "model.h"
#include <sys/rseq.h>
#define __builtin_thread_pointer model_thread_pointer
#define __rseq_offset model_rseq_offset
#define __rseq_size model_rseq_size

#endif

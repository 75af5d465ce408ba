/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_ARCH_MODEL_H
#define TESTS_COHERENCE_ARCH_MODEL_H
/*
 * arch_model.h: what percpu/arch.h chooses for the model: the operations of
 * arch/x86_64.h as functions in C, of twin_inlined.c.
 */
#include <percpu/base.h>
#include <stdbool.h>

#define PERCPU__MODEL_OP(op, bytes, bits)                                      \
	bool percpu__try_##op##_##bytes(void PERCPU *h, uint##bits##_t v);

#define PERCPU__MODEL_OPS(op)                                                  \
	PERCPU__MODEL_OP(op, 1, 8)                                             \
	PERCPU__MODEL_OP(op, 2, 16)                                            \
	PERCPU__MODEL_OP(op, 4, 32)                                            \
	PERCPU__MODEL_OP(op, 8, 64)

PERCPU__MODEL_OPS(add)
PERCPU__MODEL_OPS(write)

void *percpu__try_this(void PERCPU *h);

/* The running virtual CPU's thread in place of the real one. */
#include "model.h"
#include <sys/rseq.h>
#define __builtin_thread_pointer model_thread_pointer
#define __rseq_offset model_rseq_offset
#define __rseq_size model_rseq_size

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_DECODE_H
#define TESTS_COHERENCE_DECODE_H
/*
 * decode.h: what the instructions of this program access, as objdump has them.
 */
#include "model.h"

#include <stdbool.h>
#include <ucontext.h>

/* Find the instructions; skips the test where that fails. */
void decode_start(void);

/* The address of the instruction after the one at @at; 0 if none is there. */
uintptr_t decode_next(uintptr_t at);

/* Whether the instruction at @at returns. */
bool decode_returns(uintptr_t at);

/*
 * Tell @access of what the instruction at @u's instruction pointer is about to
 * access, a read before a write; fails the test if that is not known.
 */
typedef void decode_access_fn(uintptr_t at, size_t size, enum model_kind kind);
void decode_access(const ucontext_t *u, decode_access_fn *access);

#endif

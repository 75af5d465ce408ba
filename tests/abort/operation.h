/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ABORT_OPERATION_H
#define TESTS_ABORT_OPERATION_H
/*
 * operation.h: the operations to interrupt, each in a function of its own, so
 * that each has sections of its own.
 */
#include <percpu/percpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Carries into each byte's neighbour when it is added to FILL. */
#define VALUE 0x7b7b7b7b7b7b7b7bull
/* The same as an immediate operand, which has 32 bits. */
#define VALUE_IMM 0x7b7b7b7bull

enum effect {
	EFFECT_ADD,
	EFFECT_WRITE,
	EFFECT_AND,
	EFFECT_OR,
	EFFECT_XOR,
	EFFECT_ADD_RETURN, /* from here on with a result */
	EFFECT_XCHG,
	EFFECT_CMPXCHG /* expects OLD */
};

/* What fields hold before. */
#define OLD 0xa5a5a5a5a5a5a5a5ull

struct operation {
	const char *name;
	void (*run)(void PERCPU *field);
	unsigned size; /* of the field */
	enum effect effect;
	uint64_t value; /* its operand, modulo the field's width */
};

/* Where an operation with a result leaves it. */
extern uint64_t operation_result;

/* Ended by a name of NULL. */
extern const struct operation operations_c[];	 /* macros of ops_c.h */
extern const struct operation operations_cxx[];	 /* templates of ops_cxx.h */
extern const struct operation operations_twin[]; /* functions of twins.h */

/* All of these tables, then NULL. */
extern const struct operation *const operations[];

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * operation_twin.c: the twins called by themselves, and the list of tables.
 */
#include "operation.h"

#define FUNCTION(name, bits, statement)                                        \
	static void name##_##bits(void PERCPU *h)                              \
	{                                                                      \
		statement;                                                     \
	}

#define FUNCTIONS(bits)                                                        \
	FUNCTION(add, bits, percpu_add_u##bits(h, (uint##bits##_t)VALUE))      \
	FUNCTION(write, bits, percpu_write_u##bits(h, (uint##bits##_t)VALUE))  \
	FUNCTION(and, bits, percpu_and_u##bits(h, (uint##bits##_t)VALUE))      \
	FUNCTION(or, bits, percpu_or_u##bits(h, (uint##bits##_t)VALUE))        \
	FUNCTION(xor, bits, percpu_xor_u##bits(h, (uint##bits##_t)VALUE))      \
	FUNCTION(add_return, bits,                                             \
		 operation_result =                                            \
			 percpu_add_return_u##bits(h, (uint##bits##_t)VALUE))  \
	FUNCTION(xchg, bits,                                                   \
		 operation_result =                                            \
			 percpu_xchg_u##bits(h, (uint##bits##_t)VALUE))        \
	FUNCTION(cmpxchg, bits,                                                \
		 operation_result = percpu_cmpxchg_u##bits(                    \
			 h, (uint##bits##_t)OLD, (uint##bits##_t)VALUE))

FUNCTIONS(8)
FUNCTIONS(16)
FUNCTIONS(32)
FUNCTIONS(64)

#define ENTRY(name, bits, effect)                                              \
	{                                                                      \
		"twin " #name " " #bits, name##_##bits, bits / 8, effect,      \
			VALUE                                                  \
	}

#define ENTRIES(bits)                                                          \
	ENTRY(add, bits, EFFECT_ADD), ENTRY(write, bits, EFFECT_WRITE),        \
		ENTRY(and, bits, EFFECT_AND), ENTRY(or, bits, EFFECT_OR),      \
		ENTRY(xor, bits, EFFECT_XOR),                                  \
		ENTRY(add_return, bits, EFFECT_ADD_RETURN),                    \
		ENTRY(xchg, bits, EFFECT_XCHG),                                \
		ENTRY(cmpxchg, bits, EFFECT_CMPXCHG)

uint64_t operation_result;

const struct operation operations_twin[] = { ENTRIES(8),
					     ENTRIES(16),
					     ENTRIES(32),
					     ENTRIES(64),
					     { NULL, NULL, 0, EFFECT_ADD, 0 } };

/* Absent where there is no C++ compiler. */
extern const struct operation operations_cxx[] __attribute__((weak));

const struct operation *const operations[] = { operations_twin, operations_c,
					       operations_cxx, NULL };

/* SPDX-License-Identifier: MIT */
/*
 * operation_inlined.h: the body of operation_c.c and operation_cxx.cc: every
 * inlined operation, for each width, with immediate and register operands.
 */
#include "operation.h"

static volatile uint64_t in_register = VALUE;

#define FUNCTION(name, bits, statement)                                        \
	static __attribute__((noinline)) void name##_##bits(void PERCPU *h)    \
	{                                                                      \
		uint##bits##_t PERCPU *p = (uint##bits##_t PERCPU *)h;         \
                                                                               \
		statement;                                                     \
	}

#define FUNCTIONS(bits)                                                        \
	FUNCTION(add_imm, bits, percpu_add(p, (uint##bits##_t)VALUE_IMM))      \
	FUNCTION(add_reg, bits, percpu_add(p, (uint##bits##_t)in_register))    \
	FUNCTION(sub_imm, bits, percpu_sub(p, (uint##bits##_t)VALUE_IMM))      \
	FUNCTION(sub_reg, bits, percpu_sub(p, (uint##bits##_t)in_register))    \
	FUNCTION(inc, bits, percpu_inc(p))                                     \
	FUNCTION(dec, bits, percpu_dec(p))                                     \
	FUNCTION(write_imm, bits, percpu_write(p, (uint##bits##_t)VALUE_IMM))  \
	FUNCTION(write_reg, bits, percpu_write(p, (uint##bits##_t)in_register))

FUNCTIONS(8)
FUNCTIONS(16)
FUNCTIONS(32)
FUNCTIONS(64)

#define ENTRY(name, bits, is_write, value)                                     \
	{                                                                      \
		LANGUAGE " " #name " " #bits, name##_##bits, bits / 8,         \
			is_write, value                                        \
	}

#define ENTRIES(bits)                                                          \
	ENTRY(add_imm, bits, 0, VALUE_IMM), ENTRY(add_reg, bits, 0, VALUE),    \
		ENTRY(sub_imm, bits, 0, 0 - VALUE_IMM),                        \
		ENTRY(sub_reg, bits, 0, 0 - VALUE), ENTRY(inc, bits, 0, 1),    \
		ENTRY(dec, bits, 0, 0 - 1ull),                                 \
		ENTRY(write_imm, bits, 1, VALUE_IMM),                          \
		ENTRY(write_reg, bits, 1, VALUE)

const struct operation TABLE[] = { ENTRIES(8),
				   ENTRIES(16),
				   ENTRIES(32),
				   ENTRIES(64),
				   { NULL, NULL, 0, 0, 0 } };

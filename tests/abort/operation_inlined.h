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
	FUNCTION(write_reg, bits,                                              \
		 percpu_write(p, (uint##bits##_t)in_register))                 \
	FUNCTION(and_imm, bits, percpu_and(p, (uint##bits##_t)VALUE_IMM))      \
	FUNCTION(and_reg, bits, percpu_and(p, (uint##bits##_t)in_register))    \
	FUNCTION(or_imm, bits, percpu_or(p, (uint##bits##_t)VALUE_IMM))        \
	FUNCTION(or_reg, bits, percpu_or(p, (uint##bits##_t)in_register))      \
	FUNCTION(xor_imm, bits, percpu_xor(p, (uint##bits##_t)VALUE_IMM))      \
	FUNCTION(xor_reg, bits, percpu_xor(p, (uint##bits##_t)in_register))    \
	FUNCTION(add_return, bits,                                             \
		 operation_result =                                            \
			 percpu_add_return(p, (uint##bits##_t)in_register))    \
	FUNCTION(xchg, bits,                                                   \
		 operation_result =                                            \
			 percpu_xchg(p, (uint##bits##_t)in_register))          \
	FUNCTION(cmpxchg, bits,                                                \
		 operation_result = percpu_cmpxchg(                            \
			 p, (uint##bits##_t)OLD, (uint##bits##_t)in_register)) \
	FUNCTION(try_cmpxchg, bits, uint##bits##_t old = (uint##bits##_t)OLD;  \
		 percpu_try_cmpxchg(p, &old, (uint##bits##_t)in_register);     \
		 operation_result = old)

FUNCTIONS(8)
FUNCTIONS(16)
FUNCTIONS(32)
FUNCTIONS(64)

#define ENTRY(name, bits, effect, value)                                       \
	{                                                                      \
		LANGUAGE " " #name " " #bits, name##_##bits, bits / 8, effect, \
			value                                                  \
	}

#define ENTRIES(bits)                                                          \
	ENTRY(add_imm, bits, EFFECT_ADD, VALUE_IMM),                           \
		ENTRY(add_reg, bits, EFFECT_ADD, VALUE),                       \
		ENTRY(sub_imm, bits, EFFECT_ADD, 0 - VALUE_IMM),               \
		ENTRY(sub_reg, bits, EFFECT_ADD, 0 - VALUE),                   \
		ENTRY(inc, bits, EFFECT_ADD, 1),                               \
		ENTRY(dec, bits, EFFECT_ADD, 0 - 1ull),                        \
		ENTRY(write_imm, bits, EFFECT_WRITE, VALUE_IMM),               \
		ENTRY(write_reg, bits, EFFECT_WRITE, VALUE),                   \
		ENTRY(and_imm, bits, EFFECT_AND, VALUE_IMM),                   \
		ENTRY(and_reg, bits, EFFECT_AND, VALUE),                       \
		ENTRY(or_imm, bits, EFFECT_OR, VALUE_IMM),                     \
		ENTRY(or_reg, bits, EFFECT_OR, VALUE),                         \
		ENTRY(xor_imm, bits, EFFECT_XOR, VALUE_IMM),                   \
		ENTRY(xor_reg, bits, EFFECT_XOR, VALUE),                       \
		ENTRY(add_return, bits, EFFECT_ADD_RETURN, VALUE),             \
		ENTRY(xchg, bits, EFFECT_XCHG, VALUE),                         \
		ENTRY(cmpxchg, bits, EFFECT_CMPXCHG, VALUE),                   \
		ENTRY(try_cmpxchg, bits, EFFECT_CMPXCHG, VALUE)

const struct operation TABLE[] = { ENTRIES(8),
				   ENTRIES(16),
				   ENTRIES(32),
				   ENTRIES(64),
				   { NULL, NULL, 0, EFFECT_ADD, 0 } };

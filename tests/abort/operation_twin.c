/* SPDX-License-Identifier: MIT */
/*
 * operation_twin.c: the twins called by themselves, and the list of tables.
 */
#include "operation.h"

#define FUNCTIONS(bits)                                                        \
	static void add_##bits(void PERCPU *h)                                 \
	{                                                                      \
		percpu_add_u##bits(h, (uint##bits##_t)VALUE);                  \
	}                                                                      \
                                                                               \
	static void write_##bits(void PERCPU *h)                               \
	{                                                                      \
		percpu_write_u##bits(h, (uint##bits##_t)VALUE);                \
	}

FUNCTIONS(8)
FUNCTIONS(16)
FUNCTIONS(32)
FUNCTIONS(64)

#define ENTRIES(bits)                                                          \
	{ "twin add " #bits, add_##bits, bits / 8, 0, VALUE },                 \
	{                                                                      \
		"twin write " #bits, write_##bits, bits / 8, 1, VALUE          \
	}

const struct operation operations_twin[] = { ENTRIES(8),
					     ENTRIES(16),
					     ENTRIES(32),
					     ENTRIES(64),
					     { NULL, NULL, 0, 0, 0 } };

/* Absent where there is no C++ compiler. */
extern const struct operation operations_cxx[] __attribute__((weak));

const struct operation *const operations[] = { operations_twin, operations_c,
					       operations_cxx, NULL };

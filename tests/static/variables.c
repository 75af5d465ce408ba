/* SPDX-License-Identifier: MIT */
/*
 * variables.c: definitions, in C and, through variables.cc, in C++.
 */
#include "variables.h"

#define VARIABLES_ROW                                                          \
	{                                                                      \
		1, 2, 3, 4, 5                                                  \
	}

PERCPU_DEFINE(uint64_t, plain);
PERCPU_DEFINE(int32_t, minus) = -5;
PERCPU_DEFINE(struct limits, limits) = { 3, 70000, "limits" };
PERCPU_DEFINE(uint16_t[5], row) = VARIABLES_ROW;
PERCPU_DEFINE_CACHELINE(char, alone) = 'a';
static PERCPU_DEFINE(int32_t, mine) = 11;

uint64_t PERCPU *plain_of_variables(void)
{
	return percpu_var(plain);
}

int32_t PERCPU *mine_of_variables(void)
{
	return percpu_var(mine);
}

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_STATIC_VARIABLES_H
#define TESTS_STATIC_VARIABLES_H
/*
 * variables.h: variables of every kind that one file defines and others use.
 */
#include <percpu/ops.h>
#include <percpu/static.h>

struct limits {
	uint8_t low;
	uint32_t high;
	const char *name;
};

#ifdef __cplusplus
extern "C" {
#endif

PERCPU_DECLARE(uint64_t, plain);
PERCPU_DECLARE(int32_t, minus);
PERCPU_DECLARE(struct limits, limits);
PERCPU_DECLARE(uint16_t[5], row);
PERCPU_DECLARE(char, alone);

/* As the file itself has them; "mine" is its own, as another is of values.c. */
uint64_t PERCPU *plain_of_variables(void);
int32_t PERCPU *mine_of_variables(void);

#ifdef __cplusplus
}
#endif
#endif

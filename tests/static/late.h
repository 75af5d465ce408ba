/* SPDX-License-Identifier: MIT */
#ifndef TESTS_STATIC_LATE_H
#define TESTS_STATIC_LATE_H
/*
 * late.h: a library whose constructor uses a variable of the program.
 */
#include <percpu/ops.h>
#include <percpu/static.h>

#include <stdbool.h>

PERCPU_DECLARE(uint32_t, lent);

extern uint32_t PERCPU *late_handle; /* as it was then */
extern const bool late_setup;	     /* whether it uses none */

#endif

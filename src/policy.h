/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_POLICY_H
#define PERCPU_SRC_POLICY_H
/*
 * policy.h: the slot policy of this process. percpu_setup() and
 * percpu_backend() of cpu.h are its public part.
 */
#include "area.h"

#include <percpu/cpu.h>

/* How this process counts; never changes once it is latched. */
struct percpu__policy {
	uint8_t mode;  /* enum percpu_mode of a thread that nothing hinders */
	uint8_t index; /* PERCPU_INDEX_* */
	uint8_t owner; /* enum percpu__owner */
	uint8_t why;   /* enum why of policy.c */
};

/* The latched policy. Latches it if that is not done; not for handlers then. */
struct percpu__policy percpu__policy(void);

/* The latched policy without latching: all zero before. Safe in handlers. */
struct percpu__policy percpu__policy_peek(void);

#endif

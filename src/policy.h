/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_POLICY_H
#define PERCPU_SRC_POLICY_H
/*
 * policy.h: the slot policy of this process. percpu_setup() and
 * percpu_backend() of cpu.h are its public part.
 */
#include "area.h"

#include <percpu/cpu.h>

#include <string.h>

/* How this process counts; never changes once it is latched. */
struct percpu__policy {
	uint8_t mode;	/* enum percpu_mode of a thread that nothing hinders */
	uint8_t index;	/* PERCPU_INDEX_* */
	uint8_t why;	/* enum why of policy.c */
	uint8_t cpu_id; /* whether an area's cpu_id is what getcpu would say */
};

/* The latched policy. Latches it if that is not done; not for handlers then. */
struct percpu__policy percpu__policy(void);

/* Set in the mode within percpu__rt.policy, so that no policy is 0 there. */
#define PERCPU__LATCHED 0x80u

/* The latched policy without latching: all zero before. Safe in handlers. */
static inline struct percpu__policy percpu__policy_peek(void)
{
	uint32_t word = __atomic_load_n(&percpu__rt.policy, __ATOMIC_RELAXED);
	struct percpu__policy p;

	memcpy(&p, &word, sizeof(p));
	p.mode &= (uint8_t)~PERCPU__LATCHED;
	return p;
}

#endif

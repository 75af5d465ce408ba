/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_ANNOUNCED_H
#define TESTS_COHERENCE_ANNOUNCED_H
/*
 * announced.h: every section, as real instructions and as its twin in C.
 */
#include <percpu/base.h>
#include <stdbool.h>

struct announced {
	const char *name;
	void (*run)(void PERCPU *h);
	uint64_t word;	/* what each word of the object is before */
	uint32_t bytes; /* that the processor must store at once, or 0 */
	bool unarmed;	/* it is no section: loads alone, in any order */
};

/* Both from announced_ops.c, in the same order; ended by a name of NULL. */
extern const struct announced announced_real[];
extern const struct announced announced_twin[];

/* What both work on beside the object. */
extern uint64_t announced_out;
struct percpu__caches;
extern struct percpu__caches announced_caches;
extern struct percpu__guarded announced_guarded;
struct percpu__counter_claim;
extern struct percpu__counter_claim announced_claim;

/* Bounds of stacks that can be shut. */
extern const uint64_t announced_two, announced_none;

#endif

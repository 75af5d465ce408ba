/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ABORT_OBJECT_H
#define TESTS_ABORT_OBJECT_H
/*
 * object.h: a per-CPU object to operate on, and what became of it.
 */
#include "operation.h"

#include <stdbool.h>

#define FILL 0xa5

/* How this process and thread reach slots, which the environment chose. */
struct mode {
	bool registered; /* the kernel aborts sections of this thread */
	bool inlined;	 /* inlined sections commit */
	bool twins;	 /* sections of the twins commit */
	bool by_cid;	 /* slots are numbered by concurrency ids */
};

/*
 * Pin this thread to a CPU, make the object, find the mode. Skips the test
 * where the machine cannot do what the environment asks for.
 */
struct mode object_start(void);

/* Undo this thread's registration; skips where that cannot be done. */
void object_unregister(void);

/* Write the CPU number and concurrency id that the kernel would. */
void object_pretend(uint32_t cpu_id, uint32_t mm_cid);

/* Whether the kernel keeps this thread's CPU number up to date. */
bool object_registered(void);

/* The field of the object that operations work on, at a multiple of 8. */
void PERCPU *object_field(void);

/* Fill the object with FILL in every slot. */
void object_fill(void);

/* What became of the fields since object_fill(). */
struct outcome {
	unsigned changed; /* how many slots have another value */
	unsigned slot;	  /* the last of them */
	uint64_t value;	  /* its value */
	uint64_t added;	  /* in all slots together, modulo the width */
};

/*
 * Look at fields of @size bytes. Fails the test if any byte beside them
 * changed, in any slot, or this thread's rseq_cs is not 0.
 */
struct outcome object_outcome(unsigned size);

/* What @op makes of a field that holds @before, and what its result is. */
uint64_t object_effect(const struct operation *op, uint64_t before);
uint64_t object_result(const struct operation *op, uint64_t before);

/* Whether @op's last result is that; without one, true. */
bool object_resulted(const struct operation *op, uint64_t before);

/* Whether @op happened exactly once, in one slot; else the test fails. */
struct outcome object_once(const struct operation *op);

/* @value modulo 2^(8 * @size). */
uint64_t narrow(uint64_t value, unsigned size);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ABORT_INJECT_H
#define TESTS_ABORT_INJECT_H
/*
 * inject.h: make the kernel abort a section of this program at an instruction.
 *
 * A breakpoint instruction takes the place of the chosen one. It raises
 * SIGTRAP; before the kernel builds the frame of the handler it aborts the
 * section that the thread is in, so the thread goes on at the abort handler.
 * Where no section is interrupted, the handler puts the instruction back and
 * the thread goes on there.
 */
#include "cpu.h"
#include "operation.h"

#include <stdbool.h>
#include <stddef.h>

/* A section as its descriptor tells the kernel. */
struct section {
	uint32_t version;
	uint32_t flags;
	uintptr_t start;
	uintptr_t length;
	uintptr_t abort;
};

static inline uintptr_t section_end(const struct section *s)
{
	return s->start + s->length;
}

static inline bool section_has(const struct section *s, uintptr_t at)
{
	return at - s->start < s->length;
}

/* Find the instructions and make them writable; skips where that fails. */
void inject_start(void);

/*
 * The instructions of @s, two before it and two after it, in order, into @at,
 * which has room for INSTRUCTIONS_MAX. Returns how many.
 */
#define INSTRUCTIONS_MAX 64
size_t inject_instructions(const struct section *s, uintptr_t *at);

/*
 * The sections that @op runs if each is aborted once, in order; at least 1, at
 * most CHAIN_MAX. The thread must be registered.
 */
#define CHAIN_MAX 8
size_t inject_chain(const struct operation *op, void PERCPU *field,
		    const struct section **chain);

/* A breakpoint in or around @section; of those inside, one at a time. */
struct point {
	const struct section *section;
	uintptr_t at;
	unsigned times;	  /* take it out after so many hits */
	unsigned hits;	  /* how often it was reached */
	unsigned aborted; /* how often that aborted the section */
	unsigned turn;	  /* how many points were reached before it */
	cpu_code saved;
};

/*
 * Points, each once, where the sections of @chain before number @n begin, and
 * in that one at @at; @p has room for @n + 1.
 */
void inject_along(struct point *p, const struct section *const *chain, size_t n,
		  uintptr_t at);

/*
 * Run @op with @points set. Within the handler, after each hit, @hook runs if
 * it is not NULL, with no point set.
 */
void inject_run(const struct operation *op, void PERCPU *field,
		struct point *points, size_t count, void (*hook)(void));

/*
 * Whether @p was hit and each hit did what it must: abort inside of the
 * section of a @registered thread, and nowhere else. Else the test fails.
 */
bool inject_hit(const struct operation *op, const struct point *p,
		bool registered);

#endif

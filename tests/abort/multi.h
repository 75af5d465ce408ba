/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ABORT_MULTI_H
#define TESTS_ABORT_MULTI_H
/*
 * multi.h: operations that add to several fields, each in a function of its
 * own, and what all slots together must then hold.
 */
#include <percpu/percpu.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MULTI_FIELDS = 24 };

/* Adds go to the middle; nobody adds to the rest. */
struct multi_object {
	uint64_t field[MULTI_FIELDS];
} __attribute__((aligned(64)));

extern struct multi_object PERCPU *multi_object;

/* Field @n, as any type. */
void PERCPU *multi_field(unsigned n);

struct multi_add {
	unsigned field, bytes;
	uint64_t v;
};

struct multi {
	const char *name;
	void (*run)(void);
	int twin;		  /* a function of the library */
	struct multi_add adds[8]; /* what it does; bytes is 0 after the last */
};

/* Ended by a name of NULL. */
extern const struct multi multi_c[], multi_cxx[], multi_twin[];

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_ENV_H
#define PERCPU_SRC_ENV_H
/*
 * env.h: words of the environment. One that means nothing is said, once, with
 * those that do and what is used instead. In programs that run with more
 * rights than their caller none is set. Nothing here allocates or waits.
 */
#include <stdint.h>

struct percpu__env {
	const char *name;
	const char *instead; /* what is used then; of a number its unit */
	unsigned said;
};

/* The position of the variable's word in @words, -1 if none is set. */
int percpu__env_choice(struct percpu__env *e, const char *const *words);

/* The variable's number, of decimal digits alone; @otherwise if none is set. */
uint32_t percpu__env_number(struct percpu__env *e, uint32_t otherwise);

#endif

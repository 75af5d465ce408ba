/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_DEBUG_OPTIONS_H
#define PERCPU_SRC_DEBUG_OPTIONS_H
/*
 * debug_options.h: the environment's PERCPU_DEBUG, words with commas between:
 *
 *   poison              freed memory is filled with a pattern, and red zones
 *                       are looked at when an object is freed
 *   quarantine[=BYTES]  freed objects are kept until so many bytes of a unit
 *                       (k, m: 2^10, 2^20) are full of them
 *   all, 1              both
 */
#include <stdbool.h>
#include <stddef.h>

struct percpu__debug_options {
	bool given; /* PERCPU_DEBUG has something to say */
	bool poison;
	bool quarantined;  /* a size is named */
	size_t quarantine; /* bytes of a unit */
	char unknown[32];  /* the first word that means nothing; "" if none */
};

/* What is held where nobody names a size. */
#define PERCPU__DEBUG_QUARANTINE ((size_t)256 << 10)

/* @words: the variable's value, or NULL. */
void percpu__debug_options_parse(struct percpu__debug_options *o,
				 const char *words);

#endif

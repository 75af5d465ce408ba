/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VM_ROWS_H
#define TESTS_VM_ROWS_H
/*
 * rows.h: the operations that a machine tries, a row for each. To add one:
 * its step, its sum and its line in rows.c; nothing else knows of operations.
 */
#include <percpu/percpu.h>

struct row {
	const char *name;
	/*
	 * Do the operation once, with a value made from @random. Returns by
	 * how much it changed the row's sum. Any thread may call it at any
	 * time, and a handler in the middle of another call.
	 */
	uint64_t (*step)(uint64_t random);
	/* What the changes come to, modulo 2^bits, while nobody steps. */
	uint64_t (*sum)(void);
	unsigned bits;
};

enum { ROWS_MAX = 64 };

extern const struct row rows[];
extern const unsigned nr_rows;

void rows_init(void);

#endif

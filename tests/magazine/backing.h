/* SPDX-License-Identifier: MIT */
#ifndef TESTS_MAGAZINE_BACKING_H
#define TESTS_MAGAZINE_BACKING_H
/*
 * backing.h: a backing that knows of each of its ids where it is.
 */
#include "check.h"

#include <stdint.h>

#define IDS 4096u

struct backing {
	uint64_t ids;	    /* how many there are: 0 to ids - 1 */
	uint64_t out;	    /* that it gave and has not got back */
	uint8_t given[IDS]; /* id is out */
};

static inline int backing_alloc(void *arg, uint64_t *item)
{
	struct backing *b = arg;

	for (uint64_t i = 0; i < b->ids; i++)
		if (__atomic_exchange_n(&b->given[i], 1, __ATOMIC_ACQ_REL) ==
		    0) {
			__atomic_fetch_add(&b->out, 1, __ATOMIC_RELAXED);
			*item = i;
			return 0;
		}
	return -1;
}

static inline void backing_free(void *arg, uint64_t item)
{
	struct backing *b = arg;

	CHECK(item < b->ids);
	CHECK(__atomic_exchange_n(&b->given[item], 0, __ATOMIC_ACQ_REL) == 1);
	__atomic_fetch_sub(&b->out, 1, __ATOMIC_RELAXED);
}

#endif

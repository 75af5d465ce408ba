/* SPDX-License-Identifier: MIT */
/*
 * counter_hold.c: who keeps a counter from getting its per-CPU part.
 *
 *   c->part   0                      none
 *             a handle               for good
 *             family | n | 1         n calls of that process hold it
 *
 * 1. A handle is even, and replaces only 0 or a hold of no one's.
 * 2. A family is a process (mutex.h), so threads that did not come along hold
 *    nothing in a child of fork. A thread that did, since it forked in a signal
 *    handler on top of its call, ends a hold of its own family alone: it takes
 *    nothing from the child's.
 */
#include "counter.h"

#include "mutex.h"
#include "os.h"

#include <stdbool.h>

#define ONE ((uintptr_t)2)
#define FAMILY ((uintptr_t)1 << 12)

static uintptr_t family(uintptr_t word)
{
	return word & ~(FAMILY - 1);
}

/* A hold by nobody, of this process. */
static uintptr_t own(void)
{
	return (uintptr_t)percpu__mutex_family() / 2 * FAMILY + 1;
}

bool percpu__counter_hold_none(uintptr_t word)
{
	return word == 0 || ((word & 1) != 0 && family(word) != family(own()));
}

uintptr_t percpu__counter_hold(struct percpu_counter *c)
{
	uintptr_t word = __atomic_load_n(&c->part, __ATOMIC_ACQUIRE);
	uintptr_t hold;
	uintptr_t now;

	if (word != 0 && (word & 1) == 0)
		return 0;
	/* In a handler, which only looks at holds, that is long done. */
	percpu__mutex_start();
	hold = own();
	do {
		/* As many as can be: those that hold are not long about it. */
		while (word == hold + FAMILY - ONE) {
			percpu__os_doze();
			word = __atomic_load_n(&c->part, __ATOMIC_ACQUIRE);
		}
		if (word != 0 && (word & 1) == 0)
			return 0;
		now = family(word) == family(hold) && word != 0 ? word + ONE :
								  hold + ONE;
	} while (!__atomic_compare_exchange_n(&c->part, &word, now, true,
					      __ATOMIC_ACQUIRE,
					      __ATOMIC_ACQUIRE));
	return hold;
}

void percpu__counter_hold_end(struct percpu_counter *c, uintptr_t hold)
{
	uintptr_t word = __atomic_load_n(&c->part, __ATOMIC_RELAXED);
	uintptr_t now;

	do {
		if ((word & 1) == 0 || family(word) != family(hold))
			return;
		now = word == hold + ONE ? 0 : word - ONE;
	} while (!__atomic_compare_exchange_n(&c->part, &word, now, true,
					      __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

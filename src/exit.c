/* SPDX-License-Identifier: MIT */
/*
 * exit.c: dlclose or exit?
 *
 * A destructor runs for both and is not told which. A handler of exit() tells:
 * exit calls all handlers before any destructor of an object. But dlclose calls
 * handlers, too: those registered with the object's __dso_handle, which may be
 * a plug-in that the library is part of, before that object's own destructors.
 * So ours has a handle of its own, which only exit and forget() know. Without
 * memory for the handler, exit is taken to have begun: nothing is freed then.
 */
#include "exit.h"

#include <stddef.h>

/* Of the C++ ABI, which libc implements for C as well. */
int __cxa_atexit(void (*fn)(void *), void *arg, void *dso);
void __cxa_finalize(void *dso);

enum { UNKNOWN, WATCHED, BEGUN };

static int state;
static char own_dso;

static void begin(void *arg)
{
	(void)arg;
	__atomic_store_n(&state, BEGUN, __ATOMIC_RELAXED);
}

/* The handler must not outlive its code. */
static void __attribute__((destructor(101))) forget(void)
{
	if (__atomic_load_n(&state, __ATOMIC_RELAXED) == WATCHED)
		__cxa_finalize(&own_dso);
}

void percpu__exit_watch(void)
{
	int before = UNKNOWN;

	if (__atomic_load_n(&state, __ATOMIC_RELAXED) == UNKNOWN &&
	    __atomic_compare_exchange_n(&state, &before, WATCHED, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
	    __cxa_atexit(begin, NULL, &own_dso) != 0)
		begin(NULL);
}

bool percpu__exit_begun(void)
{
	return __atomic_load_n(&state, __ATOMIC_RELAXED) == BEGUN;
}

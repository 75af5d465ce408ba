/* SPDX-License-Identifier: MIT */
/*
 * exit.c: dlclose or exit?
 *
 * A destructor runs for both and is not told which.
 *
 * 1. An object that the program started with is never closed: it is exit. That
 *    is found out when the object is loaded: the loader's list has a lock, and
 *    at the exit of a child of fork a thread may have it that is not there.
 * 2. For plug-ins a handler of exit() tells: exit calls handlers, the last one
 *    first, and one of them is the loader's that runs all destructors. That was
 *    registered when the program started; ours, when the first plug-in with
 *    something to free came, is called before it.
 * 3. But dlclose calls handlers, too: those registered with the object's
 *    __dso_handle, which may be a plug-in that the library is part of, before
 *    that object's own destructors. So ours has a handle of its own, which only
 *    exit and forget() know.
 *
 * Without memory for the handler, exit is taken to have begun: nothing is freed
 * then. A plug-in that a library's constructor loads before main() is the one
 * case that is not seen: the handler comes after the loader's, and what the
 * plug-in has goes with its destructors.
 *
 * In a namespace of dlmopen()'s, which has a libc of its own, no handler is
 * called at exit, and nothing else tells it from dlclose. The list of objects
 * is that namespace's, and its first, the plug-in, is taken for the program:
 * by (1) all is kept, and is a leak at dlclose.
 */
#include "exit.h"

#include "startup.h"

#include <stddef.h>

/* Of the C++ ABI, which libc implements for C as well. */
int __cxa_atexit(void (*fn)(void *), void *arg, void *dso);
void __cxa_finalize(void *dso);

enum { UNKNOWN, WATCHED, BEGUN, FORGOTTEN };

static int state;
static char own_dso;

/* True for who changes it. */
static bool change(int from, int to)
{
	return __atomic_load_n(&state, __ATOMIC_RELAXED) == from &&
	       __atomic_compare_exchange_n(&state, &from, to, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void begin(void *arg)
{
	(void)arg;
	change(WATCHED, BEGUN);
}

/* The handler must not outlive its code. */
static void __attribute__((destructor(101))) forget(void)
{
	if (change(WATCHED, FORGOTTEN))
		__cxa_finalize(&own_dso);
}

bool percpu__exit_watch(const void *of)
{
	bool started = percpu__startup_has(of);

	if (!started && change(UNKNOWN, WATCHED) &&
	    __cxa_atexit(begin, NULL, &own_dso) != 0)
		begin(NULL);
	return started;
}

bool percpu__exit_has_begun(void)
{
	return __atomic_load_n(&state, __ATOMIC_RELAXED) == BEGUN;
}

/* Unless the constructor says that the library came with a plug-in. */
static bool started_with = true;

static void __attribute__((constructor(101))) watch_own(void)
{
	started_with = percpu__exit_watch(&own_dso);
}

bool percpu__exit_keeps(void)
{
	return started_with || percpu__exit_has_begun();
}

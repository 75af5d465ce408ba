/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_EXIT_H
#define PERCPU_SRC_EXIT_H
/*
 * exit.h: whether a destructor runs for dlclose, and should leave nothing, or
 * for exit, while threads that still run may use all there is.
 */
#include <stdbool.h>

/*
 * From ordinary code, before there is anything that a destructor of the object
 * that @of lies in would free.
 */
void percpu__exit_watch(const void *of);

/* In destructors of that object: whether they must free nothing. */
bool percpu__exit_keeps(const void *of);

#endif

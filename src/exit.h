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
 * that @of lies in would free: whether the program started with that object,
 * so that its destructors free nothing ever. It asks the loader, which a child
 * of fork must not do at its exit.
 */
bool percpu__exit_watch(const void *of);

/* In destructors of other objects: whether it is exit. */
bool percpu__exit_has_begun(void);

/* In the library's destructors: whether they must free nothing. */
bool percpu__exit_keeps(void);

#endif

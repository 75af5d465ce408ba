/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_EXIT_H
#define PERCPU_SRC_EXIT_H
/*
 * exit.h: whether a destructor runs for dlclose, and should leave nothing, or
 * at exit, when threads may still use what there is.
 */
#include <stdbool.h>

/* From ordinary code, before there is anything that a destructor would free. */
void percpu__exit_watch(void);

/* In destructors of priority above 101: whether exit() has begun. */
bool percpu__exit_begun(void);

#endif

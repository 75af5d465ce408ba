/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_TRIM_H
#define PERCPU_SRC_TRIM_H
/*
 * trim.h: giving pages that no object lies in back to the system.
 * percpu_trim() of alloc.h is its public part.
 */
#include <stdbool.h>

/*
 * Now and then, on a path that is slow anyway: give back the pages that have
 * been free since the last time.
 */
void percpu__trim_step(void);

/*
 * Give back free pages in the units of the slots that @which is true for. In
 * others they count from now on as free since the last time.
 */
void percpu__trim_slots(bool (*which)(unsigned slot));

/*
 * Let percpu_trim() call @f first: what has handles to spare gives them up
 * there. At most once for each of a few callers.
 */
void percpu__trim_also(void (*f)(void));

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_CPULIST_H
#define PERCPU_SRC_CPULIST_H
/*
 * cpulist.h: the kernel's lists of ids, as in "0-3,7,900-1023\n".
 */
#include <stdbool.h>
#include <stddef.h>

/* The highest id in @list; -1 if it names none or is not such a list. */
long percpu__cpulist_max(const char *list);

/* How many ids @list names; 0 if it is not such a list. */
unsigned long percpu__cpulist_count(const char *list);

/*
 * Set those of the @ids @bits that @list names; none if it is not such a list.
 */
void percpu__cpulist_mark(const char *list, unsigned long *bits, size_t ids);

/* Whether @list is such a list and names @id. */
bool percpu__cpulist_has(const char *list, unsigned id);

#endif

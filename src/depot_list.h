/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_DEPOT_LIST_H
#define PERCPU_SRC_DEPOT_LIST_H
/*
 * depot_list.h: all caches of percpu/cache.h, for who must reach every one.
 */
#include "depot.h"

void percpu__depot_list_add(struct percpu__depot *d);

/* Waits while percpu__depot_list_collect() is at work. */
void percpu__depot_list_remove(struct percpu__depot *d);

/*
 * percpu__depot_collect() on each cache some of whose magazines, of those that
 * @which is true for, hold anything.
 */
void percpu__depot_list_collect(bool (*which)(unsigned slot));

#endif

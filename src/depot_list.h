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

/* percpu__depot_gather() on each. */
void percpu__depot_list_collect(bool (*which)(unsigned slot));

#endif

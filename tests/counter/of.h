/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COUNTER_OF_H
#define TESTS_COUNTER_OF_H
/*
 * of.h: names of percpu_counter's, or, where TREE is defined, of
 * percpu_counter_tree's, for what both must do.
 */
#include <percpu/percpu.h>

#ifdef TREE
#define OF(name) percpu_counter_tree_##name
#define COUNTER struct percpu_counter_tree
#else
#define OF(name) percpu_counter_##name
#define COUNTER struct percpu_counter
#endif

#endif

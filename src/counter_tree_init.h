/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_COUNTER_TREE_INIT_H
#define PERCPU_SRC_COUNTER_TREE_INIT_H

#include <percpu/counter_tree.h>

/* Give @t, which has none, its per-CPU part, unless memory is short. */
void percpu__counter_tree_init_obtain(struct percpu_counter_tree *t);

/* The same from what is at hand; whether it has one. Never waits. */
bool percpu__counter_tree_init_attach(struct percpu_counter_tree *t);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_COUNTER_TREE_NODES_H
#define PERCPU_SRC_COUNTER_TREE_NODES_H

#include <percpu/counter_tree.h>

/* @count nodes of 0, the same count at each call; NULL if memory is short. */
struct percpu__tree_node *percpu__counter_tree_nodes_get(uint32_t count);
/* The same of memory that is there, for signal handlers. */
struct percpu__tree_node *percpu__counter_tree_nodes_at_hand(uint32_t count);
/* Safe in signal handlers. */
void percpu__counter_tree_nodes_put(struct percpu__tree_node *nodes);

#endif

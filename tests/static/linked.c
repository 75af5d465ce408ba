/* SPDX-License-Identifier: MIT */
/*
 * linked.c: a library for programs to link, with a variable, a counter, a
 * tree, and an object that comes and goes.
 */
#include <percpu/percpu.h>

uint64_t linked_add(unsigned n);

static PERCPU_DEFINE(uint64_t, count);
static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(0);
static struct percpu_counter_tree tree;
static int tree_made = -1;

static void __attribute__((constructor)) begin(void)
{
	tree_made = percpu_counter_tree_init(&tree, 0, 32);
	percpu_counter_sync(&counter);
}

uint64_t linked_add(unsigned n)
{
	percpu_add(percpu_var(count), n);
	percpu_counter_add(&counter, (int64_t)n);
	if (tree_made == 0)
		percpu_counter_tree_add(&tree, (int64_t)n);
	percpu_free(percpu_alloc(8, 8));
	return percpu_sum(percpu_var(count));
}

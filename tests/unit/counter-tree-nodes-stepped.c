/* SPDX-License-Identifier: MIT */
/*
 * counter-tree-nodes-stepped.c: at each instruction at which a block is taken, a
 * handler takes two and gives the first back: nobody gets what another has. The
 * handler is that of the trap that the processor takes after each.
 */
#include "check.h"
#include "counter_tree_nodes.h"

#include <signal.h>

#define WIDTH 5
#define BLOCKS 5u
#define TRAP_FLAG 0x100

static unsigned long step;
static unsigned long chosen; /* the step at which the handler does it */
static struct percpu__tree_node *taken;

static void interrupt(int sig)
{
	struct percpu__tree_node *first;

	(void)sig;
	if (++step != chosen)
		return;
	first = percpu__counter_tree_nodes_get(WIDTH);
	taken = percpu__counter_tree_nodes_get(WIDTH);
	percpu__counter_tree_nodes_put(first);
}

static struct percpu__tree_node *get_stepped(void)
{
	struct percpu__tree_node *b;

	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
	b = percpu__counter_tree_nodes_get(WIDTH);
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq"
			 :
			 : "i"(~TRAP_FLAG)
			 : "memory", "cc");
	return b;
}

/* Interrupted at step number @chosen; true if there was one. */
static bool interrupted(void)
{
	struct percpu__tree_node *all[BLOCKS];

	step = 0;
	taken = NULL;
	all[0] = get_stepped();
	all[1] = taken;
	for (unsigned i = taken == NULL ? 1 : 2; i < BLOCKS; i++)
		all[i] = percpu__counter_tree_nodes_get(WIDTH);
	for (unsigned i = 0; i < BLOCKS; i++)
		for (unsigned k = 0; k < i; k++)
			if (all[i] == all[k])
				FAIL("step %lu: one block, two owners", chosen);
	for (unsigned i = 0; i < BLOCKS; i++)
		percpu__counter_tree_nodes_put(all[i]);
	return taken != NULL;
}

int main(void)
{
	CHECK(signal(SIGTRAP, interrupt) != SIG_ERR);
	CHECK(!interrupted()); /* from now on there is a list */
	do {
		chosen++;
	} while (interrupted());
	printf("%lu steps\n", chosen);
	CHECK(chosen > 20);
	return TEST_PASS;
}

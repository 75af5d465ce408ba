/* SPDX-License-Identifier: MIT */
/*
 * counter_tree_init.c: a tree's per-CPU part, which is its nodes and its slots.
 *
 *   nodes   NULL -> a block        CAS, once; who comes late puts his back
 *   slots   NULL -> a handle       CAS, once, by who has seen nodes
 *
 * 1. A static tree starts with neither. Adds that see no slots change bias, by
 *    an atomic, before and after others see some: it is in every sum and read,
 *    so nothing moves at the change and nothing can be lost.
 * 2. Whoever sees slots sees nodes, and a batch that is none of 0: they were
 *    there before, and slots are released and acquired. No carry looks for
 *    nodes without.
 * 3. Nobody waits: who is preempted between the two, or does not come along in
 *    a fork, hinders nobody; the next one finds nodes and brings slots.
 * 4. exchange and limited_add replace bias from what it was before they summed.
 *    Slots that appear meanwhile are plain adds that come between. So nothing
 *    need keep a part away, as counter_hold.c does where the bias moves.
 * 5. A destroyed tree gets neither again: nobody would give them back.
 * 6. In a handler nothing is allocated: slots are of a reserve, which threads
 *    fill once one was missed, and nodes of memory that is mapped.
 */
#include "counter_tree_init.h"

#include "counter_many.h"
#include "counter_tree_nodes.h"
#include "counter_tree_shape.h"
#include "exit.h"
#include "misuse.h"
#include "reserve.h"

#include <errno.h>
#include <percpu/alloc.h>
#include <percpu/cpu.h>

#define BATCH_MAX (1u << 31)
#define BATCH 32u

static struct percpu__reserve reserve = { .size = sizeof(int64_t),
					  .align = sizeof(int64_t) };

/* At dlclose. */
static void __attribute__((destructor(102))) release(void)
{
	if (!percpu__exit_keeps())
		percpu__reserve_empty(&reserve);
}

static struct percpu__tree_node *new_nodes(bool in_handler)
{
	uint32_t count = percpu__tree_nodes(percpu_nr_slots());

	return in_handler ? percpu__counter_tree_nodes_at_hand(count) :
			    percpu__counter_tree_nodes_get(count);
}

/* Whether @t has nodes then. */
static bool give_nodes(struct percpu_counter_tree *t, bool in_handler)
{
	struct percpu__tree_node *none = NULL;
	struct percpu__tree_node *nodes;

	if (__atomic_load_n(&t->nodes, __ATOMIC_ACQUIRE) != NULL)
		return true;
	nodes = new_nodes(in_handler);
	if (nodes == NULL)
		return false;
	if (!__atomic_compare_exchange_n(&t->nodes, &none, nodes, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		percpu__counter_tree_nodes_put(nodes);
	return true;
}

/*
 * Let @t, which has nodes, have @slots if it has none. Who comes late leaves
 * his in the reserve: where that has no room and this may be a handler 8 bytes
 * a slot are lost.
 */
static void give_slots(struct percpu_counter_tree *t, int64_t PERCPU *slots,
		       bool in_handler)
{
	int64_t PERCPU *none = NULL;
	uint32_t unset = 0;

	__atomic_compare_exchange_n(&t->batch, &unset, BATCH, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(&t->slots, &none, slots, false,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	if (!percpu__reserve_give(&reserve, slots) && !in_handler)
		percpu_free(slots);
}

bool percpu__counter_tree_init_attach(struct percpu_counter_tree *t)
{
	int64_t PERCPU *slots =
		t->destroyed ? NULL : percpu__reserve_ask(&reserve);

	if (slots == NULL)
		return percpu__tree_slots(t) != NULL;
	if (!give_nodes(t, true)) {
		percpu__reserve_give(&reserve, slots);
		return false;
	}
	give_slots(t, slots, true);
	return true;
}

void percpu__counter_tree_init_obtain(struct percpu_counter_tree *t)
{
	int64_t PERCPU *slots;

	if (t->destroyed)
		return;
	percpu__reserve_supply(&reserve);
	if (!give_nodes(t, false))
		return;
	slots = percpu_new(int64_t);
	if (slots != NULL)
		give_slots(t, slots, false);
}

static void start(struct percpu_counter_tree *t, int64_t v)
{
	t->slots = NULL;
	t->nodes = NULL;
	t->bias = v;
	t->inner = 0;
	t->destroyed = 0;
}

static void put_nodes(struct percpu_counter_tree *t)
{
	if (t->nodes != NULL)
		percpu__counter_tree_nodes_put(t->nodes);
	t->nodes = NULL;
}

/* Nodes for each of @n; false, and none has any, if memory is short. */
static bool get_nodes(struct percpu_counter_tree *t, size_t n)
{
	size_t i = 0;

	while (i < n && give_nodes(&t[i], false))
		i++;
	if (i == n)
		return true;
	while (i > 0)
		put_nodes(&t[--i]);
	return false;
}

/* Slots for @n; NULL if memory is short. */
static int64_t PERCPU *get_slots(size_t n)
{
	return n <= SIZE_MAX / sizeof(int64_t) ?
		       percpu_alloc(n * sizeof(int64_t), sizeof(int64_t)) :
		       NULL;
}

/* Give @n, which have nodes, their slots. */
static void hand_out(struct percpu_counter_tree *t, int64_t PERCPU *slots,
		     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		t[i].slots = slots + i;
		t[i].inner = percpu__many_inner(i, n);
	}
}

/* Slots come first: what they refuse at once would take nodes for each. */
int percpu_counter_tree_init_many(struct percpu_counter_tree *t, int64_t v,
				  unsigned batch, size_t n)
{
	int64_t PERCPU *slots;

	if (batch < 2 || batch > BATCH_MAX || (batch & (batch - 1)) != 0)
		return -EINVAL;
	percpu__reserve_supply(&reserve);
	for (size_t i = 0; i < n; i++) {
		start(&t[i], v);
		t[i].batch = batch;
	}
	if (n == 0)
		return 0;
	slots = get_slots(n);
	if (slots != NULL && get_nodes(t, n)) {
		hand_out(t, slots, n);
		return 0;
	}
	percpu_free(slots);
	return -ENOMEM;
}

int percpu_counter_tree_init(struct percpu_counter_tree *t, int64_t v,
			     unsigned batch)
{
	return percpu_counter_tree_init_many(t, v, batch, 1);
}

static void end(struct percpu_counter_tree *t)
{
	if (percpu__many_leads(t->inner))
		percpu_free(t->slots);
	put_nodes(t);
	start(t, 0);
	t->destroyed = 1;
}

void percpu_counter_tree_destroy(struct percpu_counter_tree *t)
{
	if (t->inner == 0)
		end(t);
	else
		percpu__misuse(
			"",
			"percpu_counter_tree_destroy(%p): the tree is one of several, which percpu_counter_tree_destroy_many() destroys",
			(void *)t);
}

void percpu_counter_tree_destroy_many(struct percpu_counter_tree *t, size_t n)
{
	if (n > 0 && !percpu__many_whole(&t->inner, sizeof(*t), n)) {
		percpu__many_misuse("percpu_counter_tree_destroy_many", t, n);
		return;
	}
	while (n > 0)
		end(&t[--n]);
}

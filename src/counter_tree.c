/* SPDX-License-Identifier: MIT */
/*
 * counter_tree.c: counters whose reads are one load. The argument is section 13
 * of DESIGN.md; where nodes are, counter_tree_shape.h says, and where their
 * memory comes from, counter_tree_nodes.c.
 *
 * Tried and left:
 * - Whole batches (what a slot holds back is 0 to batch - 1): reads are too low
 *   by twice as much at worst, and a counter that goes up and down around 0
 *   goes up the tree each time.
 * - Four slots to a node, or two: twice the memory, one level more, and the
 *   error grows with levels.
 * - Nodes in the units of the CPUs below them: a CPU would make pages of
 *   another's unit resident, and each object would take a line of each unit.
 */
#include "counter_tree_nodes.h"
#include "counter_tree_shape.h"

#include <percpu/alloc.h>
#include <percpu/cpu.h>

#include <errno.h>

#define BATCH_MAX (1u << 31)

static struct percpu__tree_level bottom(const struct percpu_counter_tree *t)
{
	return percpu__tree_leaves(percpu_nr_slots(), t->batch);
}

static uint64_t slots(const struct percpu_counter_tree *t)
{
	return (uint64_t)percpu_sum(t->slots);
}

int percpu_counter_tree_init(struct percpu_counter_tree *t, int64_t v,
			     unsigned batch)
{
	if (batch < 2 || batch > BATCH_MAX || (batch & (batch - 1)) != 0)
		return -EINVAL;
	t->bias = v;
	t->batch = batch;
	t->slots = percpu_new(int64_t);
	if (t->slots == NULL)
		return -ENOMEM;
	t->nodes = percpu__counter_tree_nodes_get(
		percpu__tree_nodes(percpu_nr_slots()));
	if (t->nodes != NULL)
		return 0;
	percpu_free(t->slots);
	t->slots = NULL;
	return -ENOMEM;
}

void percpu_counter_tree_destroy(struct percpu_counter_tree *t)
{
	if (t->slots == NULL)
		return;
	percpu_free(t->slots);
	percpu__counter_tree_nodes_put(t->nodes);
	t->slots = NULL;
	t->nodes = NULL;
}

/* This CPU's path, if it is still this CPU; any is right. */
void percpu__counter_tree_carry(const struct percpu_counter_tree *t,
				uint64_t carry)
{
	percpu__tree_climb(t->nodes, bottom(t), percpu_this_slot(), carry);
}

int64_t percpu_counter_tree_sum(const struct percpu_counter_tree *t)
{
	int64_t bias = __atomic_load_n(&t->bias, __ATOMIC_RELAXED);

	return (int64_t)((uint64_t)bias + slots(t));
}

int64_t percpu_counter_tree_exchange(struct percpu_counter_tree *t, int64_t v)
{
	int64_t bias = __atomic_load_n(&t->bias, __ATOMIC_RELAXED);
	uint64_t s;

	do {
		s = slots(t);
	} while (!__atomic_compare_exchange_n(
		&t->bias, &bias, (int64_t)((uint64_t)v - s), false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return (int64_t)((uint64_t)bias + s);
}

void percpu_counter_tree_sync(struct percpu_counter_tree *t)
{
	uint64_t root = 0 - percpu__tree_held(t->nodes, bottom(t));
	const int64_t *slot;

	percpu_for_each_slot (slot, t->slots) {
		uint64_t v = (uint64_t)__atomic_load_n(slot, __ATOMIC_RELAXED);

		root += v - percpu__tree_rest(v, t->batch);
	}
	__atomic_store_n(&t->nodes->value, root, __ATOMIC_RELAXED);
}

void percpu_counter_tree_bounds(const struct percpu_counter_tree *t,
				int64_t *under, int64_t *over)
{
	uint64_t u;
	uint64_t o;

	percpu__tree_bounds(bottom(t), &u, &o);
	if (under != NULL)
		*under = (int64_t)u;
	if (over != NULL)
		*over = (int64_t)o;
}

/* The sum is from v - over to v + under, or wrapped where v did not. */
struct range {
	int64_t v;
	uint64_t under;
	uint64_t over;
	bool wraps;
};

static struct range range(const struct percpu_counter_tree *t)
{
	struct range r = { .v = percpu_counter_tree_read(t) };

	percpu__tree_bounds(bottom(t), &r.under, &r.over);
	r.wraps = r.v < INT64_MIN + (int64_t)r.over ||
		  r.v > INT64_MAX - (int64_t)r.under;
	return r;
}

/*
 * The order of what @a and @b stand for, if @a may be too large by @over and
 * too small by @under. Their difference may need all of 64 bits.
 */
static int decide(int64_t a, int64_t b, uint64_t under, uint64_t over)
{
	if (a > b)
		return (uint64_t)a - (uint64_t)b > over;
	return -((uint64_t)b - (uint64_t)a > under);
}

int percpu_counter_tree_read_compare(const struct percpu_counter_tree *t,
				     int64_t v)
{
	struct range r = range(t);

	return r.wraps ? 0 : decide(r.v, v, r.under, r.over);
}

int percpu_counter_tree_compare(const struct percpu_counter_tree *t, int64_t v)
{
	int order = percpu_counter_tree_read_compare(t, v);

	return order != 0 ? order : decide(percpu_counter_tree_sum(t), v, 0, 0);
}

int percpu_counter_tree_read_order(const struct percpu_counter_tree *a,
				   const struct percpu_counter_tree *b)
{
	struct range l = range(a);
	struct range r = range(b);

	return l.wraps || r.wraps ?
		       0 :
		       decide(l.v, r.v, l.under + r.over, l.over + r.under);
}

int percpu_counter_tree_order(const struct percpu_counter_tree *a,
			      const struct percpu_counter_tree *b)
{
	int order = percpu_counter_tree_read_order(a, b);

	return order != 0 ? order :
			    decide(percpu_counter_tree_sum(a),
				   percpu_counter_tree_sum(b), 0, 0);
}

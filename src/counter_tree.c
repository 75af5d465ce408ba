/* SPDX-License-Identifier: MIT */
/*
 * counter_tree.c: counters whose reads are one load. The argument is section 13
 * of DESIGN.md; where nodes are, counter_tree_shape.h says, where their memory
 * comes from, counter_tree_nodes.c, and who gives it, counter_tree_init.c.
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
#include "counter.h"
#include "counter_tree_init.h"
#include "counter_tree_shape.h"
#include "mutex.h"
#include "os.h"

#include <percpu/cpu.h>

static struct percpu__tree_level bottom(const struct percpu_counter_tree *t)
{
	return percpu__tree_leaves(percpu_nr_slots(), percpu__tree_batch(t));
}

/* Of a tree that has slots: then these are there. */
static struct percpu__tree_node *nodes(const struct percpu_counter_tree *t)
{
	return __atomic_load_n(&t->nodes, __ATOMIC_RELAXED);
}

static uint64_t load_bias(const struct percpu_counter_tree *t)
{
	return (uint64_t)__atomic_load_n(&t->bias, __ATOMIC_ACQUIRE);
}

/* Replace the bias by @v if it is still *@old; else *@old is what it is. */
static bool replace(struct percpu_counter_tree *t, uint64_t *old, uint64_t v)
{
	int64_t was = (int64_t)*old;
	bool done =
		__atomic_compare_exchange_n(&t->bias, &was, (int64_t)v, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);

	*old = (uint64_t)was;
	return done;
}

static uint64_t slots(const struct percpu_counter_tree *t)
{
	int64_t PERCPU *part = percpu__tree_slots(t);

	return part == NULL ? 0 : (uint64_t)percpu_sum(part);
}

/*
 * A static tree, which an add may not give its part, gets it from who looks: it
 * is no constant, though nothing that one can see of it changes.
 */
static void look(const struct percpu_counter_tree *t)
{
	if (__builtin_expect(percpu__tree_slots(t) == NULL, 0))
		percpu__counter_tree_init_obtain(
			(struct percpu_counter_tree *)(uintptr_t)t);
}

/* This CPU's path, if it is still this CPU; any is right. */
void percpu__counter_tree_carry(const struct percpu_counter_tree *t,
				uint64_t now, uint64_t v)
{
	percpu__tree_climb(nodes(t), bottom(t), percpu_this_slot(),
			   percpu__tree_carry(now, v, percpu__tree_batch(t)));
}

void percpu__counter_tree_early(struct percpu_counter_tree *t, uint64_t v)
{
	if (percpu__counter_tree_init_attach(t))
		percpu__tree_add(t, v);
	else
		__atomic_fetch_add(&t->bias, (int64_t)v, __ATOMIC_RELAXED);
}

/* The bias comes first: what an exchange took off is then counted. */
int64_t percpu_counter_tree_sum(const struct percpu_counter_tree *t)
{
	uint64_t bias;

	look(t);
	bias = load_bias(t);
	return (int64_t)(bias + slots(t));
}

int64_t percpu_counter_tree_exchange(struct percpu_counter_tree *t, int64_t v)
{
	uint64_t bias;
	uint64_t s;

	look(t);
	bias = load_bias(t);
	do {
		s = slots(t);
	} while (!replace(t, &bias, (uint64_t)v - s));
	return (int64_t)(bias + s);
}

bool percpu_counter_tree_limited_add(struct percpu_counter_tree *t,
				     int64_t limit, int64_t v)
{
	uint64_t bias;

	if (v == 0)
		return true;
	look(t);
	bias = load_bias(t);
	do {
		if (!percpu__counter_room(bias + slots(t), limit, v))
			return false;
	} while (!replace(t, &bias, bias + (uint64_t)v));
	return true;
}

/* What all slots have told but the root has not got; and what showed that. */
struct told {
	uint64_t missing;
	uint64_t root;
	uint64_t seen;
};

static struct told told(const struct percpu_counter_tree *t)
{
	struct told it = {
		.root = __atomic_load_n(&nodes(t)->value, __ATOMIC_RELAXED),
		.missing = 0 - percpu__tree_held(nodes(t), bottom(t)),
	};
	const int64_t *slot;

	it.missing -= it.root;
	percpu_for_each_slot (slot, t->slots) {
		uint64_t v = (uint64_t)__atomic_load_n(slot, __ATOMIC_RELAXED);

		it.missing += v - percpu__tree_rest(v, percpu__tree_batch(t));
		it.seen = (it.seen ^ v) * 0x9e3779b97f4a7c15;
	}
	return it;
}

/*
 * Carries that a fork cut off are missing at the root for good, those of adds
 * in flight are not. So others get time to go on: if none has, those are none.
 * The root is replaced if it is still what was seen: by one sync of several.
 */
static void restore(struct percpu_counter_tree *t)
{
	struct told before = told(t);
	struct told now;

	if (before.missing == 0)
		return;
	percpu__os_doze();
	now = told(t);
	if (now.seen == before.seen && now.missing == before.missing &&
	    now.root == before.root)
		__atomic_compare_exchange_n(&nodes(t)->value, &now.root,
					    now.root + now.missing, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void percpu_counter_tree_sync(struct percpu_counter_tree *t)
{
	if (percpu__tree_slots(t) == NULL)
		percpu__counter_tree_init_obtain(t);
	else if (nodes(t)->born != percpu__mutex_family())
		restore(t);
}

static void bounds(const struct percpu_counter_tree *t, uint64_t *under,
		   uint64_t *over)
{
	*under = 0;
	*over = 0;
	if (percpu__tree_slots(t) != NULL)
		percpu__tree_bounds(bottom(t), under, over);
}

void percpu_counter_tree_bounds(const struct percpu_counter_tree *t,
				int64_t *under, int64_t *over)
{
	uint64_t u;
	uint64_t o;

	bounds(t, &u, &o);
	if (under != NULL)
		*under = (int64_t)u;
	if (over != NULL)
		*over = (int64_t)o;
}

/*
 * The sum is from v - over to v + under, or wrapped where v did not. The bounds
 * come after the read, which may see the first of the per-CPU part.
 */
struct range {
	int64_t v;
	uint64_t under;
	uint64_t over;
	bool wraps;
};

static struct range range(const struct percpu_counter_tree *t)
{
	struct range r = { .v = percpu_counter_tree_read(t) };

	bounds(t, &r.under, &r.over);
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

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_COUNTER_TREE_SHAPE_H
#define PERCPU_SRC_COUNTER_TREE_SHAPE_H
/*
 * counter_tree_shape.h: where nodes are, what they hold back, and how far that
 * puts reads off, for any number of leaves. It knows nothing of CPUs,
 * so that a test can have as many as it likes.
 *
 *   level      0          1              2           last
 *   leaves  ########   o o o ... o    o o ... o       o root, nodes[0]
 *            batch      8 x batch      64 x batch
 *
 * Eight of a level share a node of the next. Where at most eight are left, they
 * share the root. Leaves are units: the shared slot goes the last one's way, so
 * that 8, 64 or 512 CPUs need no level more for it.
 */
#include <percpu/counter_tree.h>

#define PERCPU__TREE_SHIFT 3u
#define PERCPU__TREE_ARITY (1u << PERCPU__TREE_SHIFT)

/* The nodes of one level, at least the root. */
struct percpu__tree_level {
	uint32_t count;
	uint32_t first; /* of them, in nodes[] */
	uint64_t batch;
};

static inline struct percpu__tree_level percpu__tree_leaves(uint32_t leaves,
							    uint64_t batch)
{
	struct percpu__tree_level l = { leaves, 0, batch };

	return l;
}

/* From a level to the next; false, and nothing done, if that is the root. */
static inline bool percpu__tree_rise(struct percpu__tree_level *l)
{
	bool leaves = l->first == 0;

	if (l->count <= PERCPU__TREE_ARITY)
		return false;
	l->first = leaves ? 1 : l->first + l->count;
	l->count = (l->count + PERCPU__TREE_ARITY - 1) >> PERCPU__TREE_SHIFT;
	l->batch <<= PERCPU__TREE_SHIFT;
	return true;
}

/* Nodes of all levels, the root among them. */
static inline uint32_t percpu__tree_nodes(uint32_t leaves)
{
	struct percpu__tree_level l = percpu__tree_leaves(leaves, 1);
	uint32_t n = 1;

	while (percpu__tree_rise(&l))
		n += l.count;
	return n;
}

/* What a node or slot that is at @v holds back: -batch / 2 to batch / 2 - 1. */
static inline uint64_t percpu__tree_rest(uint64_t v, uint64_t batch)
{
	return ((v + batch / 2) & (batch - 1)) - batch / 2;
}

/*
 * What goes up when a slot or node of @batch becomes @now by adding @v: the
 * multiple of the batch that is nearest, less what it was.
 */
static inline uint64_t percpu__tree_carry(uint64_t now, uint64_t v,
					  uint64_t batch)
{
	uint64_t near = now + batch / 2;

	return (near & (0 - batch)) - ((near - v) & (0 - batch));
}

/*
 * Add @carry to a node of @batch; what goes on to the next level.
 */
static inline uint64_t percpu__tree_step(struct percpu__tree_node *node,
					 uint64_t carry, uint64_t batch)
{
	uint64_t now =
		__atomic_add_fetch(&node->value, carry, __ATOMIC_RELAXED);

	return percpu__tree_carry(now, carry, batch);
}

/* Take @carry up from slot @at, or any other. */
static inline void percpu__tree_climb(struct percpu__tree_node *nodes,
				      struct percpu__tree_level l, uint32_t at,
				      uint64_t carry)
{
	if (at >= l.count)
		at = l.count - 1;
	while (percpu__tree_rise(&l)) {
		at >>= PERCPU__TREE_SHIFT;
		carry = percpu__tree_step(&nodes[l.first + at], carry, l.batch);
		if (carry == 0)
			return;
	}
	__atomic_fetch_add(&nodes->value, carry, __ATOMIC_RELAXED);
}

/* What all nodes but the root hold back. */
static inline uint64_t percpu__tree_held(const struct percpu__tree_node *nodes,
					 struct percpu__tree_level l)
{
	uint64_t held = 0;

	while (percpu__tree_rise(&l))
		for (uint32_t i = l.first; i < l.first + l.count; i++)
			held += percpu__tree_rest(
				__atomic_load_n(&nodes[i].value,
						__ATOMIC_RELAXED),
				l.batch);
	return held;
}

/*
 * Of a level, each holds back half a batch at most, in multiples of the batch
 * below, which is 1 below the leaves; and so does the shared slot.
 */
static inline void percpu__tree_bounds(struct percpu__tree_level l,
				       uint64_t *under, uint64_t *over)
{
	uint64_t grain = 1;

	*under = l.batch / 2 - 1;
	*over = l.batch / 2;
	do {
		*under += l.count * (l.batch / 2 - grain);
		*over += l.count * (l.batch / 2);
		grain = l.batch;
	} while (percpu__tree_rise(&l));
}

#endif

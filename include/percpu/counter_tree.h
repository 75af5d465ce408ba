/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_COUNTER_TREE_H
#define PERCPU_COUNTER_TREE_H
/*
 * counter_tree.h: a counter that is read in one load, however many CPUs add to
 * it, with an error that is known and grows little faster than their number.
 *
 *   struct percpu_counter_tree pages;
 *
 *   percpu_counter_tree_init(&pages, 0, 32);
 *   percpu_counter_tree_add(&pages, 3);
 *   if (percpu_counter_tree_read(&pages) > limit) ...
 *
 * An add changes this CPU's slot. Whenever a slot passes a multiple of the
 * batch, the batch goes up to a node that eight slots share; from there every
 * eighth to a node of sixty-four, and so on to the root, which read() loads. A
 * line that CPUs share is written every batch adds, by eight of them at most.
 *
 * What read() tells. Let sum be percpu_counter_tree_sum(), and no add in
 * flight. Then
 *
 *   sum - under <= read <= sum + over
 *
 * with the bounds of percpu_counter_tree_bounds(), about half of batch x slots
 * for each level of the tree: 8 CPUs have one, 64 two, 512 three. It holds for
 * ever, for adds of every size. Each add that is in flight, its thread
 * preempted or its handler not back, may put it off by what it adds and up to
 * batch x slots more.
 *
 * Context: add, sub, inc, dec, and all that only reads, anywhere, in signal
 * handlers and forked children too. init, destroy, set, exchange and sync in
 * threads. A fork while other threads add leaves their adds in flight, in the
 * child, for ever: sums are right there; sync() sets reads right.
 * Errors: none but those of init.
 * Ordering: none.
 * Cost: add and read O(1), but for one add in each batch, which goes up; sum,
 * compare and order where reads do not decide, set, exchange and sync
 * O(percpu_nr_slots()). Memory: 8 bytes a slot, and a line for about
 * every seventh, where there are more than eight; from what all counters share,
 * which grows and does not shrink.
 * Source: Linux, percpu_counter_tree, proposed in 2025.
 */
#include <percpu/base.h>
#include <percpu/ops.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

struct percpu__tree_node;

/* Read-mostly, all of it; not to be copied. */
struct percpu_counter_tree {
	int64_t PERCPU *slots;
	struct percpu__tree_node *nodes;
	int64_t bias;
	uint64_t batch;
};

/* The root's is the first. */
struct percpu__tree_node {
	uint64_t value;
	uint32_t next; /* while nobody has it */
} PERCPU_LINE_ALIGNED;

/*
 * Make a counter of @v.
 *
 * @batch: a power of two from 2 to 2^31; the larger, the rarer do CPUs meet,
 *	   and the farther may a read be off.
 * Returns 0; -EINVAL for another batch; -ENOMEM if memory is short, and then
 * percpu_counter_tree_destroy() is harmless. Before it, and after destroy, a
 * tree is none; there is no initialiser for static ones, as percpu_counter has.
 */
int percpu_counter_tree_init(struct percpu_counter_tree *t, int64_t v,
			     unsigned batch);

/* Give the counter's memory back. A second time does nothing. */
void percpu_counter_tree_destroy(struct percpu_counter_tree *t);

/* The counter, with every add that is in a slot; O(percpu_nr_slots()). */
int64_t percpu_counter_tree_sum(const struct percpu_counter_tree *t);

/*
 * Make the counter @v; returns what it was. An add that is made meanwhile
 * counts before or after it.
 */
int64_t percpu_counter_tree_exchange(struct percpu_counter_tree *t, int64_t v);

/*
 * Set reads right where adds began and will not end, in a child of fork. Not
 * while others add; the sum stays as it is.
 */
void percpu_counter_tree_sync(struct percpu_counter_tree *t);

/* How far read() may be below and above the sum. Either may be NULL. */
void percpu_counter_tree_bounds(const struct percpu_counter_tree *t,
				int64_t *under, int64_t *over);

/*
 * Below 0, 0, above 0: the counter is smaller than @v, equal, larger. By sums,
 * where reads cannot tell.
 */
int percpu_counter_tree_compare(const struct percpu_counter_tree *t, int64_t v);
/* The same by reads alone: 0 means that they cannot tell. O(1). */
int percpu_counter_tree_read_compare(const struct percpu_counter_tree *t,
				     int64_t v);

/* The same of two counters: below 0 if @a is smaller than @b. */
int percpu_counter_tree_order(const struct percpu_counter_tree *a,
			      const struct percpu_counter_tree *b);
int percpu_counter_tree_read_order(const struct percpu_counter_tree *a,
				   const struct percpu_counter_tree *b);

void percpu__counter_tree_carry(const struct percpu_counter_tree *t,
				uint64_t carry);

/*
 * What goes up when a slot or node of @batch becomes @now by adding @v: the
 * multiple of the batch that is nearest, less what it was.
 */
PERCPU__INLINE uint64_t percpu__tree_carry(uint64_t now, uint64_t v,
					   uint64_t batch)
{
	uint64_t near = now + batch / 2;

	return (near & (0 - batch)) - ((near - v) & (0 - batch));
}

PERCPU__INLINE void percpu__tree_add(const struct percpu_counter_tree *t,
				     uint64_t v)
{
	uint64_t now = percpu__add_return((void PERCPU *)(uintptr_t)t->slots, v,
					  sizeof(uint64_t));
	uint64_t carry = percpu__tree_carry(now, v, t->batch);

	if (__builtin_expect(carry != 0, 0))
		percpu__counter_tree_carry(t, carry);
}

/* Add @v, which wraps as unsigned numbers do. */
static inline void percpu_counter_tree_add(struct percpu_counter_tree *t,
					   int64_t v)
{
	percpu__tree_add(t, (uint64_t)v);
}

static inline void percpu_counter_tree_sub(struct percpu_counter_tree *t,
					   int64_t v)
{
	percpu__tree_add(t, 0 - (uint64_t)v);
}

static inline void percpu_counter_tree_inc(struct percpu_counter_tree *t)
{
	percpu__tree_add(t, 1);
}

static inline void percpu_counter_tree_dec(struct percpu_counter_tree *t)
{
	percpu__tree_add(t, 0 - (uint64_t)1);
}

/* The counter, as far off as the bounds say. O(1). */
static inline int64_t
percpu_counter_tree_read(const struct percpu_counter_tree *t)
{
	uint64_t root = __atomic_load_n(&t->nodes->value, __ATOMIC_RELAXED);
	int64_t bias = __atomic_load_n(&t->bias, __ATOMIC_RELAXED);

	return (int64_t)(root + (uint64_t)bias);
}

/* The same, and 0 for what is below, which a number of things cannot be. */
static inline int64_t
percpu_counter_tree_read_positive(const struct percpu_counter_tree *t)
{
	int64_t v = percpu_counter_tree_read(t);

	return v < 0 ? 0 : v;
}

static inline int64_t
percpu_counter_tree_sum_positive(const struct percpu_counter_tree *t)
{
	int64_t v = percpu_counter_tree_sum(t);

	return v < 0 ? 0 : v;
}

/* percpu_counter_tree_exchange() for who does not ask what it was. */
static inline void percpu_counter_tree_set(struct percpu_counter_tree *t,
					   int64_t v)
{
	(void)percpu_counter_tree_exchange(t, v);
}

/* The larger of the bounds. */
static inline int64_t
percpu_counter_tree_error_bound(const struct percpu_counter_tree *t)
{
	int64_t over;

	percpu_counter_tree_bounds(t, NULL, &over);
	return over;
}

PERCPU__DECLS_END
#endif

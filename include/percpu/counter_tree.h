/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_COUNTER_TREE_H
#define PERCPU_COUNTER_TREE_H
/*
 * counter_tree.h: a counter that is read in one load, however many CPUs add to
 * it, with an error that is known and grows little faster than their number.
 *
 *   static struct percpu_counter_tree pages =
 *	PERCPU_COUNTER_TREE_INITIALIZER(0, 32);
 *
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
 * Context: adds anywhere, in signal handlers and forked children too, and so
 * what only reads a tree that has its per-CPU part. The rest in threads, since
 * it may allocate or free. Init and destroy never at the same time as other use
 * of the tree. A fork while other threads add leaves their adds in flight, in
 * the child, for ever: sums are right there; sync() sets reads right.
 * Errors: none but those of init.
 * Ordering: none, but that exchanges of one tree are ordered among each other.
 * Cost: add and read O(1), but for one add in each batch, which goes up; sum,
 * limited_add, compare and order where reads do not decide, set, exchange and
 * sync O(percpu_nr_slots()). set, exchange and limited_add, and of add_batch
 * what is not held back, write the struct, which adds and reads only read; the
 * first three begin again when another of these, or an add to a tree without
 * its per-CPU part, came between. Memory: 8 bytes a slot, and a line for about
 * every seventh, where there are more than eight; from what all counters share,
 * which grows and does not shrink.
 * Source: Linux, percpu_counter_tree, proposed in 2025.
 */
#include <percpu/base.h>
#include <percpu/ops.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

struct percpu__tree_node;

/*
 * Read-mostly, all of it; not to be copied.
 *
 * slots  the per-CPU part; NULL: none yet. nodes is there before it
 * bias   what adds put neither in slots nor in nodes, and the first value
 * batch  0: 32, from when it gets its per-CPU part
 * inner  which of several that are one object; 0: it is alone
 * destroyed
 *	  whether it was: then it gets no part but from init
 */
struct percpu_counter_tree {
	int64_t PERCPU *slots;
	struct percpu__tree_node *nodes;
	int64_t bias;
	uint32_t batch;
	uint16_t inner;
	uint16_t destroyed;
};

/* The root's is the first. */
struct percpu__tree_node {
	uint64_t value;
	uint32_t next; /* while nobody has it */
	uint32_t born; /* the process that took it from there: mutex.h */
} PERCPU_LINE_ALIGNED;

/* 1, or no type: a batch that cannot be does not compile. */
#define PERCPU__TREE_VALID(batch)                                              \
	sizeof(char[(batch) >= 2 && (batch) <= 2147483648 &&                   \
				    ((batch) & ((batch)-1)) == 0 ?             \
			    1 :                                                \
			    -1])

/*
 * For a static tree that starts with @v; @batch is a constant, as init has it.
 * It needs no init: adds are atomic and go to the struct, at several times the
 * cost, until it gets its per-CPU part: from an add, if the library has one at
 * hand, since an add may be in a handler and allocates nothing; else from the
 * first call that reads, sets or syncs it. So a program whose threads add
 * before anybody reads calls sync once, at its start. Nothing is lost at the
 * change. A tree that is all zero is the same, of 0 with a batch of 32.
 */
#define PERCPU_COUNTER_TREE_INITIALIZER(v, batch)                              \
	{                                                                      \
		NULL, NULL, (v), (batch)*PERCPU__TREE_VALID(batch), 0, 0       \
	}

/*
 * Make @t a counter of @v, or @t[0] to @t[@n - 1], whose slots are one object
 * of 8 x @n bytes.
 *
 * @batch: a power of two from 2 to 2^31; the larger, the rarer do CPUs meet,
 *	   and the farther may a read be off.
 * Returns 0; -EINVAL for another batch; -ENOMEM if memory is short, or that is
 * more than percpu_max_size(): then they are as
 * PERCPU_COUNTER_TREE_INITIALIZER(@v, @batch) has them, and may be destroyed.
 */
int percpu_counter_tree_init(struct percpu_counter_tree *t, int64_t v,
			     unsigned batch);
int percpu_counter_tree_init_many(struct percpu_counter_tree *t, int64_t v,
				  unsigned batch, size_t n);

/*
 * Give back what @t, or each of @n, has; they are counters of 0 then, which
 * only init gives a per-CPU part: destroying twice, a late add and a late sync
 * are harmless. What init_many made, destroy_many destroys, from the same @t
 * with the same @n, or any that are alone. All else is a mistake of the
 * program's, and so is destroy on one of several: a message, abort. (Of 32767
 * or more, that there are as many.)
 */
void percpu_counter_tree_destroy(struct percpu_counter_tree *t);
void percpu_counter_tree_destroy_many(struct percpu_counter_tree *t, size_t n);

/* The counter, with every add that is in a slot; O(percpu_nr_slots()). */
int64_t percpu_counter_tree_sum(const struct percpu_counter_tree *t);

/*
 * Make the counter @v; returns what it was. An add that is made meanwhile
 * counts before or after it.
 */
int64_t percpu_counter_tree_exchange(struct percpu_counter_tree *t, int64_t v);

/*
 * Add @v unless that takes the sum beyond @limit: above it for a positive @v,
 * below it for a negative one. True if it was added, or @v is 0. Calls of it
 * never take the sum beyond @limit together, however many there are at once.
 * Exchange and set come before or after it. Of other adds it counts those that
 * were complete before the call; of those that come in between it may miss
 * some, which then may take the sum beyond.
 * Cost: always a sum: what adds in flight keep from reads has no bound.
 */
bool percpu_counter_tree_limited_add(struct percpu_counter_tree *t,
				     int64_t limit, int64_t v);

/*
 * Give @t its per-CPU part if it has none and memory is to be had. Else, of a
 * tree that came from the parent into a child of fork, set reads right where
 * adds began and will not end; the sum stays as it is. Others may add: then
 * reads stay as they are, for a sync to come that meets nobody. An add whose
 * thread stands still in the middle of it through all of that is taken for one
 * that will not end, and told twice, until a later sync.
 */
void percpu_counter_tree_sync(struct percpu_counter_tree *t);

/*
 * How far read() may be below and above the sum; 0 and 0 without a per-CPU
 * part, which the first read gives a static tree: ask after that. Either may be
 * NULL.
 */
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
				uint64_t now, uint64_t v);
void percpu__counter_tree_early(struct percpu_counter_tree *t, uint64_t v);

/*
 * Whether something goes up when a slot of @batch becomes @now by adding @v:
 * the multiple of the batch that is nearest is another than it was.
 */
PERCPU__INLINE bool percpu__tree_carries(uint64_t now, uint64_t v,
					 uint64_t batch)
{
	uint64_t near = now + batch / 2;

	return (near ^ (near - v)) >= batch;
}

PERCPU__INLINE int64_t PERCPU *
percpu__tree_slots(const struct percpu_counter_tree *t)
{
	return __atomic_load_n(&t->slots, __ATOMIC_ACQUIRE);
}

PERCPU__INLINE uint64_t percpu__tree_batch(const struct percpu_counter_tree *t)
{
	return __atomic_load_n(&t->batch, __ATOMIC_RELAXED);
}

PERCPU__INLINE void percpu__tree_add(struct percpu_counter_tree *t, uint64_t v)
{
	int64_t PERCPU *slots = percpu__tree_slots(t);
	uint64_t now;

	if (__builtin_expect(slots == NULL, 0)) {
		percpu__counter_tree_early(t, v);
		return;
	}
	now = percpu__add_return((void PERCPU *)(uintptr_t)slots, v,
				 sizeof(uint64_t));
	if (__builtin_expect(
		    percpu__tree_carries(now, v, percpu__tree_batch(t)), 0))
		percpu__counter_tree_carry(t, now, v);
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

/*
 * Add @v; where it is @batch or more, on either side of 0, reads have it at
 * once, in a word for all CPUs. What is less is held back as add does: by the
 * tree's batch, since what a slot has told is to follow from its value alone
 * (DESIGN.md, section 13). So a larger @batch than the tree's is the tree's,
 * bounds stay what they are, and one below 1 is 1.
 */
static inline void percpu_counter_tree_add_batch(struct percpu_counter_tree *t,
						 int64_t v, int32_t batch)
{
	if (v < batch && v > -(int64_t)batch)
		percpu__tree_add(t, (uint64_t)v);
	else
		__atomic_fetch_add(&t->bias, v, __ATOMIC_RELAXED);
}

/*
 * The counter, as far off as the bounds say. O(1), but the first time of a
 * static one. What an exchange took off is counted: bias comes first.
 */
static inline int64_t
percpu_counter_tree_read(const struct percpu_counter_tree *t)
{
	const struct percpu__tree_node *nodes =
		__atomic_load_n(&t->nodes, __ATOMIC_ACQUIRE);
	uint64_t bias;

	if (__builtin_expect(nodes == NULL, 0))
		return percpu_counter_tree_sum(t);
	bias = (uint64_t)__atomic_load_n(&t->bias, __ATOMIC_ACQUIRE);
	return (int64_t)(bias +
			 __atomic_load_n(&nodes->value, __ATOMIC_RELAXED));
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

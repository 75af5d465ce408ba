/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_COUNTER_H
#define PERCPU_KERNEL_COUNTER_H
/*
 * counter.h: percpu_counter and percpu_counter_tree with the kernel's
 * arguments.
 *
 *   percpu_counter_init(&c, 0, GFP_KERNEL)     the kernel's
 *   percpu_counter_init(&c, 0)                 percpu/counter.h's
 *
 * Both are there: macros count the arguments. An address,
 * &percpu_counter_init, is that of percpu/counter.h's function. What has one
 * form in both is not here: add, add_batch, sub, inc, dec, read, sum, set,
 * sync, compare, limited_add, destroy, destroy_many, percpu_counter_batch.
 * What they promise is told in percpu/counter.h, and is more than in the
 * kernel. But what is read is long long, as the kernel's s64 is, for %lld.
 *
 * Of trees, proposed for the kernel and not in it yet: init with the caller's
 * memory, which is not used, sums, add and kin. compare is percpu's own: below
 * 0 where the counter is smaller, which was proposed the other way round, so
 * the proposed names of it are not here.
 */
#include <percpu/counter.h>
#include <percpu/counter_tree.h>
#include <percpu/kernel/types.h>

/* The fifth, or sixth, after as many arguments as there are before it. */
#define PERCPU__KERNEL_FIFTH(a, b, c, d, e, ...) e
#define PERCPU__KERNEL_SIXTH(a, b, c, d, e, f, ...) f

#define percpu_counter_init(...)                                               \
	PERCPU__KERNEL_FIFTH(__VA_ARGS__, percpu__kernel_counter_init_4,       \
			     percpu__kernel_counter_init,                      \
			     (percpu_counter_init), 0, 0)                      \
	(__VA_ARGS__)
#define percpu_counter_init_many(...)                                          \
	PERCPU__KERNEL_FIFTH(__VA_ARGS__, percpu__kernel_counter_init_many,    \
			     (percpu_counter_init_many), 0, 0, 0)              \
	(__VA_ARGS__)
#define percpu_counter_tree_init(...)                                          \
	PERCPU__KERNEL_FIFTH(__VA_ARGS__, percpu__kernel_tree_init,            \
			     (percpu_counter_tree_init), 0, 0, 0)              \
	(__VA_ARGS__)
#define percpu_counter_tree_init_many(...)                                     \
	PERCPU__KERNEL_SIXTH(__VA_ARGS__, percpu__kernel_tree_init_many,       \
			     (percpu_counter_tree_init_many), 0, 0, 0, 0)      \
	(__VA_ARGS__)

PERCPU__DECLS_BEGIN

static inline int percpu__kernel_counter_init(struct percpu_counter *c,
					      int64_t v, gfp_t gfp)
{
	(void)gfp;
	return (percpu_counter_init)(c, v);
}

static inline int percpu__kernel_counter_init_many(struct percpu_counter *c,
						   int64_t v, gfp_t gfp,
						   unsigned n)
{
	(void)gfp;
	return (percpu_counter_init_many)(c, v, n);
}

/*
 * Whether it has a per-CPU part: after an init that did not fail and before
 * destroy. (A counter without one counts, too.)
 */
static inline bool percpu_counter_initialized(const struct percpu_counter *c)
{
	return __atomic_load_n(&c->most, __ATOMIC_ACQUIRE) != 0;
}

/* Adds after which only sums are worth looking at, for ever. */
static inline void percpu_counter_add_local(struct percpu_counter *c, int64_t v)
{
	percpu_counter_add_batch(c, v, INT32_MAX);
}

static inline void percpu_counter_sub_local(struct percpu_counter *c, int64_t v)
{
	percpu_counter_add_batch(c, (int64_t)(0 - (uint64_t)v), INT32_MAX);
}

/* percpu_counter_add_batch(), until 2017. */
static inline void __percpu_counter_add(struct percpu_counter *c, int64_t v,
					int32_t batch)
{
	percpu_counter_add_batch(c, v, batch);
}

static inline long long __percpu_counter_sum(const struct percpu_counter *c)
{
	return percpu_counter_sum(c);
}

/* percpu_counter_sum(), which misses no CPU, until 2023. */
static inline long long percpu_counter_sum_all(const struct percpu_counter *c)
{
	return percpu_counter_sum(c);
}

/* @batch is not looked at. */
static inline bool __percpu_counter_limited_add(struct percpu_counter *c,
						int64_t limit, int64_t v,
						int32_t batch)
{
	(void)batch;
	return percpu_counter_limited_add(c, limit, v);
}

/* @batch is not looked at: the counter knows the largest that was used. */
static inline int __percpu_counter_compare(const struct percpu_counter *c,
					   int64_t v, int32_t batch)
{
	(void)batch;
	return percpu_counter_compare(c, v);
}

struct percpu_counter_tree_level_item {
	char none;
};

/* What the caller is to have for each tree, and nobody uses. */
static inline size_t percpu_counter_tree_items_size(void)
{
	return sizeof(struct percpu_counter_tree_level_item);
}

static inline int
percpu__kernel_tree_init(struct percpu_counter_tree *t,
			 struct percpu_counter_tree_level_item *items,
			 unsigned batch, gfp_t gfp)
{
	(void)items;
	(void)gfp;
	return (percpu_counter_tree_init)(t, 0, batch);
}

static inline int
percpu__kernel_tree_init_many(struct percpu_counter_tree *t,
			      struct percpu_counter_tree_level_item *items,
			      unsigned n, unsigned batch, gfp_t gfp)
{
	(void)items;
	(void)gfp;
	return (percpu_counter_tree_init_many)(t, 0, batch, n);
}

static inline long long
percpu_counter_tree_approximate_sum(const struct percpu_counter_tree *t)
{
	return percpu_counter_tree_read(t);
}

static inline long long percpu_counter_tree_approximate_sum_positive(
	const struct percpu_counter_tree *t)
{
	return percpu_counter_tree_read_positive(t);
}

static inline long long
percpu_counter_tree_precise_sum(const struct percpu_counter_tree *t)
{
	return percpu_counter_tree_sum(t);
}

static inline long long
percpu_counter_tree_precise_sum_positive(const struct percpu_counter_tree *t)
{
	return percpu_counter_tree_sum_positive(t);
}

PERCPU__DECLS_END

/* A macro's own name within it is the function's. */
#define percpu_counter_read(c) PERCPU__CAST(long long, percpu_counter_read(c))
#define percpu_counter_read_positive(c)                                        \
	PERCPU__CAST(long long, percpu_counter_read_positive(c))
#define percpu_counter_sum(c) PERCPU__CAST(long long, percpu_counter_sum(c))
#define percpu_counter_sum_positive(c)                                         \
	PERCPU__CAST(long long, percpu_counter_sum_positive(c))

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Each name of counter.h, counter_tree.h, ref.h, cache.h, rwlock.h, call.h,
 * hotplug.h and static.h has the signature that the contract says: a pointer
 * of that type takes it, and the call compiles and runs.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include <percpu/percpu.h>

#include "check.h"

PERCPU_DEFINE(uint64_t, plain) = 7;
static PERCPU_DEFINE(int, mine) = 3;
PERCPU_DEFINE_CACHELINE(uint32_t, lined);
PERCPU_DECLARE(uint64_t, plain);

static struct percpu_counter counted = PERCPU_COUNTER_INITIALIZER(5);

static void statics(void)
{
	uint64_t PERCPU *p = percpu_var(plain);

	CHECK(p != NULL && *percpu_ptr(p, 0) == 7);
	CHECK(*percpu_ptr(percpu_var(mine), 0) == 3);
	percpu_inc(percpu_var(lined));
	CHECK(percpu_sum(percpu_var(lined)) == 1);
}

static void counter_makes(void)
{
	int (*init)(struct percpu_counter *, int64_t) = percpu_counter_init;
	void (*destroy)(struct percpu_counter *) = percpu_counter_destroy;
	int (*init_many)(struct percpu_counter *, int64_t, size_t) =
		percpu_counter_init_many;
	void (*destroy_many)(struct percpu_counter *, size_t) =
		percpu_counter_destroy_many;
	struct percpu_counter two[2];
	int32_t *batch = &percpu_counter_batch;

	CHECK(*batch >= 32);
	CHECK(init(&two[0], 1) == 0);
	destroy(&two[0]);
	destroy(&two[0]);
	CHECK(init_many(two, 1, 2) == 0);
	destroy_many(two, 2);
}

static void counter_counts(struct percpu_counter *c)
{
	void (*add)(struct percpu_counter *, int64_t) = percpu_counter_add;
	void (*sub)(struct percpu_counter *, int64_t) = percpu_counter_sub;
	void (*inc)(struct percpu_counter *) = percpu_counter_inc;
	void (*dec)(struct percpu_counter *) = percpu_counter_dec;
	void (*add_batch)(struct percpu_counter *, int64_t, int32_t) =
		percpu_counter_add_batch;
	void (*set)(struct percpu_counter *, int64_t) = percpu_counter_set;
	void (*sync)(struct percpu_counter *) = percpu_counter_sync;
	int64_t (*exchange)(struct percpu_counter *, int64_t) =
		percpu_counter_exchange;
	bool (*limited_add)(struct percpu_counter *, int64_t, int64_t) =
		percpu_counter_limited_add;

	set(c, 5);
	add(c, 10);
	sub(c, 4);
	inc(c);
	dec(c);
	add_batch(c, 2, 64);
	sync(c);
	CHECK(percpu_counter_sum(c) == 13);
	CHECK(!limited_add(c, 13, 1) && limited_add(c, 14, 1));
	CHECK(exchange(c, 3) == 14);
}

static void counter_reads(const struct percpu_counter *c)
{
	int64_t (*sum)(const struct percpu_counter *) = percpu_counter_sum;
	int64_t (*sum_positive)(const struct percpu_counter *) =
		percpu_counter_sum_positive;
	int64_t (*read)(const struct percpu_counter *) = percpu_counter_read;
	int64_t (*read_positive)(const struct percpu_counter *) =
		percpu_counter_read_positive;
	int64_t (*bound)(const struct percpu_counter *) =
		percpu_counter_error_bound;
	int (*compare)(const struct percpu_counter *, int64_t) =
		percpu_counter_compare;
	int64_t off = read(c) - 3;

	CHECK(sum(c) == 3 && sum_positive(c) == 3);
	CHECK(off <= bound(c) && -off <= bound(c));
	CHECK(read_positive(c) >= 0);
	CHECK(compare(c, 2) > 0 && compare(c, 3) == 0 && compare(c, 4) < 0);
}

static struct percpu_counter_tree grown =
	PERCPU_COUNTER_TREE_INITIALIZER(5, 32);

static void tree_makes(void)
{
	int (*init)(struct percpu_counter_tree *, int64_t, unsigned) =
		percpu_counter_tree_init;
	void (*destroy)(struct percpu_counter_tree *) =
		percpu_counter_tree_destroy;
	int (*init_many)(struct percpu_counter_tree *, int64_t, unsigned,
			 size_t) = percpu_counter_tree_init_many;
	void (*destroy_many)(struct percpu_counter_tree *, size_t) =
		percpu_counter_tree_destroy_many;
	struct percpu_counter_tree two[2];

	CHECK(init(&two[0], 5, 3) == -EINVAL && init(&two[0], 5, 32) == 0);
	destroy(&two[0]);
	destroy(&two[0]);
	CHECK(init_many(two, 1, 3, 2) == -EINVAL);
	CHECK(init_many(two, 1, 32, 2) == 0);
	destroy_many(two, 2);
}

static void tree_counts(struct percpu_counter_tree *t)
{
	void (*add)(struct percpu_counter_tree *, int64_t) =
		percpu_counter_tree_add;
	void (*sub)(struct percpu_counter_tree *, int64_t) =
		percpu_counter_tree_sub;
	void (*inc)(struct percpu_counter_tree *) = percpu_counter_tree_inc;
	void (*dec)(struct percpu_counter_tree *) = percpu_counter_tree_dec;
	void (*add_batch)(struct percpu_counter_tree *, int64_t, int32_t) =
		percpu_counter_tree_add_batch;
	void (*set)(struct percpu_counter_tree *, int64_t) =
		percpu_counter_tree_set;
	void (*sync)(struct percpu_counter_tree *) = percpu_counter_tree_sync;
	int64_t (*exchange)(struct percpu_counter_tree *, int64_t) =
		percpu_counter_tree_exchange;
	bool (*limited_add)(struct percpu_counter_tree *, int64_t, int64_t) =
		percpu_counter_tree_limited_add;

	set(t, 5);
	add(t, 10);
	sub(t, 4);
	inc(t);
	dec(t);
	add_batch(t, 2, 64);
	sync(t);
	CHECK(percpu_counter_tree_sum(t) == 13);
	CHECK(!limited_add(t, 13, 1) && limited_add(t, 14, 1));
	CHECK(exchange(t, 3) == 14);
}

static void tree_reads(const struct percpu_counter_tree *t)
{
	int64_t (*sum)(const struct percpu_counter_tree *) =
		percpu_counter_tree_sum;
	int64_t (*sum_positive)(const struct percpu_counter_tree *) =
		percpu_counter_tree_sum_positive;
	int64_t (*read)(const struct percpu_counter_tree *) =
		percpu_counter_tree_read;
	int64_t (*read_positive)(const struct percpu_counter_tree *) =
		percpu_counter_tree_read_positive;
	int64_t (*bound)(const struct percpu_counter_tree *) =
		percpu_counter_tree_error_bound;
	int (*compare)(const struct percpu_counter_tree *, int64_t) =
		percpu_counter_tree_compare;
	int64_t off = read(t) - 3;

	CHECK(sum(t) == 3 && sum_positive(t) == 3);
	CHECK(off <= bound(t) && -off <= bound(t));
	CHECK(read_positive(t) >= 0);
	CHECK(compare(t, 2) > 0 && compare(t, 3) == 0 && compare(t, 4) < 0);
}

static void tree_compares(const struct percpu_counter_tree *t)
{
	int (*read_compare)(const struct percpu_counter_tree *, int64_t) =
		percpu_counter_tree_read_compare;
	int (*order)(const struct percpu_counter_tree *,
		     const struct percpu_counter_tree *) =
		percpu_counter_tree_order;
	int (*read_order)(const struct percpu_counter_tree *,
			  const struct percpu_counter_tree *) =
		percpu_counter_tree_read_order;
	void (*bounds)(const struct percpu_counter_tree *, int64_t *,
		       int64_t *) = percpu_counter_tree_bounds;
	int64_t under;
	int64_t over;

	bounds(t, &under, &over);
	CHECK(under >= 0 && over == percpu_counter_tree_error_bound(t));
	CHECK(read_compare(t, 3) == 0);
	CHECK(order(t, t) == 0 && read_order(t, t) == 0);
}

static unsigned released;

static void release(struct percpu_ref *ref)
{
	(void)ref;
	released++;
}

static void no_matter(struct percpu_ref *ref)
{
	(void)ref;
}

static void ref_lives(struct percpu_ref *r)
{
	percpu_ref_fn *fn = release;
	int (*init)(struct percpu_ref *, percpu_ref_fn *, unsigned) =
		percpu_ref_init;

	CHECK(sizeof(*r) == 16);
	CHECK(init(r, fn, PERCPU_REF_ALLOW_REINIT) == 0);
	percpu_ref_get(r);
	percpu_ref_get_many(r, 3);
	percpu_ref_put_many(r, 3);
	CHECK(percpu_ref_tryget(r) && percpu_ref_tryget_many(r, 2) &&
	      percpu_ref_tryget_live(r));
	percpu_ref_put_many(r, 4);
	percpu_ref_switch_to_atomic(r, no_matter);
	CHECK(percpu_ref_val(r) == 2 && !percpu_ref_is_dying(r));
	percpu_ref_switch_to_percpu(r);
	percpu_ref_kill_and_confirm(r, no_matter);
	CHECK(percpu_ref_is_dying(r) && !percpu_ref_is_zero(r));
	percpu_ref_resurrect(r);
	percpu_ref_kill(r);
	percpu_ref_put(r);
	CHECK(released == 1 && percpu_ref_is_zero(r));
	percpu_ref_reinit(r);
}

static void refs(void)
{
	struct percpu_ref one;
	struct percpu_ref two;
	struct percpu_ref *const both[2] = { &one, &two };
	void (*kill_many)(struct percpu_ref *const *, size_t) =
		percpu_ref_kill_many;

	ref_lives(&one);
	CHECK(percpu_ref_init(&two, release, PERCPU_REF_ADAPTIVE) == 0);
	kill_many(both, 2);
	CHECK(released == 3);
	percpu_ref_exit(&one);
	percpu_ref_exit(&two);
	CHECK(percpu_ref_init(&one, release,
			      PERCPU_REF_INIT_ATOMIC | PERCPU_REF_INIT_DEAD) ==
	      0);
	CHECK(!percpu_ref_tryget(&one));
	percpu_ref_exit(&one);
}

static void caches(void)
{
	struct percpu_cache *(*create)(const struct percpu_cache_attr *) =
		percpu_cache_create;
	int (*get)(struct percpu_cache *, uint64_t *) = percpu_cache_get;
	int (*put)(struct percpu_cache *, uint64_t) = percpu_cache_put;
	void *(*get_ptr)(struct percpu_cache *) = percpu_cache_get_ptr;
	int (*put_ptr)(struct percpu_cache *, void *) = percpu_cache_put_ptr;
	struct percpu_cache_attr attr = { 64, 0, NULL, NULL, NULL };
	struct percpu_cache_stats stats;
	struct percpu_cache *c = create(&attr);
	uint64_t item;

	CHECK(c != NULL && get(c, &item) == -ENOENT);
	CHECK(get_ptr(c) == NULL && errno == ENOENT);
	CHECK(put(c, 5) == 0 && get(c, &item) == 0 && item == 5);
	CHECK(put_ptr(c, &item) == 0 && get_ptr(c) == &item);
	percpu_cache_trim(c);
	percpu_cache_drain(c);
	percpu_cache_stats(c, &stats);
	CHECK(stats.depot == 0);
	percpu_cache_destroy(c);
}

static void locks(void)
{
	struct percpu_rwlock l;

	CHECK(percpu_rwlock_init(&l) == 0);
	percpu_rwlock_read_lock(&l);
	CHECK(percpu_rwlock_read_trylock(&l));
	percpu_rwlock_read_unlock(&l);
	percpu_rwlock_read_unlock(&l);
	percpu_rwlock_write_lock(&l);
	percpu_rwlock_write_unlock(&l);
	percpu_rwlock_destroy(&l);
}

static void ran(void *arg)
{
	__atomic_fetch_add((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

static bool none(unsigned cpu, void *arg)
{
	(void)cpu;
	(void)arg;
	return false;
}

static void calls(void)
{
	percpu_fn *fn = ran;
	void (*csd_init)(struct percpu_csd *, percpu_fn *, void *) =
		percpu_csd_init;
	int (*call)(unsigned, percpu_fn *, void *) = percpu_call;
	int (*async)(unsigned, struct percpu_csd *) = percpu_call_async;
	int (*many)(const cpu_set_t *, size_t, percpu_fn *, void *, unsigned) =
		percpu_call_many;
	int (*any)(const cpu_set_t *, size_t, percpu_fn *, void *) =
		percpu_call_any;
	int (*each)(bool (*)(unsigned, void *), percpu_fn *, void *, unsigned) =
		percpu_call_each;
	unsigned nowhere = percpu_nr_cpu_ids();
	struct percpu_csd csd;
	unsigned times = 0;
	cpu_set_t set;

	CHECK(sizeof(csd) == 32 && (uintptr_t)&csd % 32 == 0);
	csd_init(&csd, fn, &times);
	CHECK(call(nowhere, fn, &times) == -ENXIO);
	CHECK(async(nowhere, &csd) == -ENXIO);
	CPU_ZERO(&set);
	CHECK(any(&set, sizeof(set), fn, &times) < 0);
	many(&set, sizeof(set), fn, &times, 0);
	CHECK(each(none, fn, &times, 0) == 0 && times == 0);
}

int main(void)
{
	int (*refresh)(void) = percpu_cpus_refresh;

	statics();
	counter_makes();
	counter_counts(&counted);
	counter_reads(&counted);
	percpu_counter_destroy(&counted);
	tree_makes();
	tree_counts(&grown);
	tree_reads(&grown);
	tree_compares(&grown);
	refs();
	caches();
	locks();
	calls();
	CHECK(refresh() == 0);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_LOAD_H
#define TESTS_HOTPLUG_LOAD_H
/*
 * load.h: what threads do while CPUs come and go: each object of the library
 * once, and afterwards whether all that was done is there.
 */
#include "check.h"

#include <errno.h>
#include <percpu/percpu.h>

static struct {
	struct percpu_counter counter;
	struct percpu_ref ref;
	struct percpu_cache *cache;
	struct percpu_rwlock lock;
	uint64_t PERCPU *plain;
	unsigned items;
	unsigned released;
} load;

static void load_release(struct percpu_ref *r)
{
	(void)r;
	load.released++;
}

/* For @threads at a time. */
static void load_start(unsigned threads)
{
	struct percpu_cache_attr attr = { 0 };

	CHECK(percpu_counter_init(&load.counter, 0) == 0);
	CHECK(percpu_rwlock_init(&load.lock) == 0);
	CHECK(percpu_ref_init(&load.ref, load_release, 0) == 0);
	load.plain = percpu_new(uint64_t);
	load.cache = percpu_cache_create(&attr);
	CHECK(load.plain != NULL && load.cache != NULL);
	load.items = threads;
	for (uint64_t i = 0; i < threads; i++)
		CHECK(percpu_cache_put(load.cache, i) == 0);
}

static void load_step(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	uint64_t item;

	CHECK(h != NULL);
	CHECK_EQ(percpu_sum(h), 0);
	percpu_inc(h);
	percpu_inc(load.plain);
	percpu_counter_add(&load.counter, 3);
	percpu_ref_get(&load.ref);
	percpu_rwlock_read_lock(&load.lock);
	CHECK(percpu_cache_get(load.cache, &item) == 0);
	CHECK(percpu_cache_put(load.cache, item) == 0);
	percpu_rwlock_read_unlock(&load.lock);
	percpu_ref_put(&load.ref);
	CHECK_EQ(percpu_sum(h), 1);
	percpu_free(h);
}

/* After @steps of all threads together. */
static void load_end(uint64_t steps)
{
	struct percpu_cache_stats s;
	struct percpu_alloc_stats left;

	CHECK_EQ(percpu_sum(load.plain), steps);
	CHECK_EQ(percpu_counter_sum(&load.counter), 3 * steps);
	percpu_cache_stats(load.cache, &s);
	CHECK_EQ(s.depot + s.magazines, load.items);
	percpu_rwlock_write_lock(&load.lock);
	percpu_rwlock_write_unlock(&load.lock);
	percpu_ref_kill(&load.ref);
	CHECK_EQ(load.released, 1);
	percpu_ref_exit(&load.ref);
	percpu_rwlock_destroy(&load.lock);
	percpu_cache_destroy(load.cache);
	percpu_counter_destroy(&load.counter);
	percpu_free(load.plain);
	percpu_trim();
	percpu_alloc_stats(&left);
	CHECK_EQ(left.live, 0);
}

#endif

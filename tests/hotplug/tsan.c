/* SPDX-License-Identifier: MIT */
/*
 * tsan.c: ThreadSanitizer, which this program is compiled for and the library
 * is not, has nothing to say of two threads that do the same by turns, whatever
 * it is: neither of the library's own memory nor of what the library hands from
 * one to the other. They order themselves by nothing that it would take for
 * order.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <sched.h>

enum { THREADS = 2, ROUNDS = 10 };

static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(0);
static struct percpu_rwlock lock;
static struct percpu_cache *cache;
static uint64_t kept;
static int plain;
static int turn;

static void seen(void *arg)
{
	++*(int *)arg;
}

static void released(struct percpu_ref *r)
{
	CHECK_EQ(percpu_ref_exit(r), 0);
}

static void objects(void)
{
	struct percpu_alloc_stats stats = { 0 };
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	*percpu_ptr(h, 0) = 3;
	percpu_free(h);
	percpu_alloc_stats(&stats);
	percpu_trim();
}

static void dump(void)
{
	FILE *null = fopen("/dev/null", "w");

	CHECK(null != NULL && percpu_dump(null) == 0);
	fclose(null);
}

static void refresh(void)
{
	CHECK(percpu_cpus_refresh() >= 0);
}

static void watch(void)
{
	int n = 0;

	CHECK_EQ(percpu_cpus_watch(seen, &n), 0);
	CHECK_EQ(percpu_cpus_unwatch(), 0);
}

static void write_locked(void)
{
	CHECK_EQ(percpu_rwlock_write_lock(&lock), 0);
	plain++;
	percpu_rwlock_write_unlock(&lock);
}

static void read_locked(void)
{
	percpu_rwlock_read_lock(&lock);
	CHECK(plain >= 0);
	percpu_rwlock_read_unlock(&lock);
}

static void count(void)
{
	struct percpu_counter own;

	percpu_counter_inc(&counter);
	percpu_counter_sync(&counter);
	percpu_counter_exchange(&counter, 3);
	percpu_counter_limited_add(&counter, 4, 1);
	CHECK_EQ(percpu_counter_init(&own, 0), 0);
	percpu_counter_destroy(&own);
}

static void refer(void)
{
	static const unsigned flags[] = { 0, PERCPU_REF_ADAPTIVE };
	struct percpu_ref r;

	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(percpu_ref_init(&r, released, flags[i]), 0);
		percpu_ref_get(&r);
		percpu_ref_put(&r);
		percpu_ref_kill(&r);
	}
}

/* An item that this thread writes and the other finds. */
static void hand_on(void)
{
	uint64_t item = (uintptr_t)&kept;

	percpu_cache_get_u64(cache, &item);
	++*(uint64_t *)(uintptr_t)item;
	CHECK_EQ(percpu_cache_put_u64(cache, item), 0);
}

static void call(void)
{
	unsigned cpu = (unsigned)percpu_this_cpu();
	struct percpu_csd csd;
	int n = 0;

	percpu_csd_init(&csd, seen, &n);
	CHECK_EQ(percpu_call_async(cpu, &csd), 0);
	CHECK_EQ(percpu_call(cpu, seen, &n), 0);
	CHECK_EQ(n, 2);
}

static void (*const steps[])(void) = { objects,	     dump,	   refresh,
				       watch,	     write_locked, read_locked,
				       write_locked, count,	   refer,
				       hand_on,	     call };

static void *work(void *arg)
{
	int me = (int)(uintptr_t)arg;

	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		for (unsigned n = 0; n < ROUNDS; n++) {
			while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != me)
				sched_yield();
			steps[i]();
			__atomic_store_n(&turn, 1 - me, __ATOMIC_RELAXED);
		}
	return NULL;
}

int main(void)
{
	const struct percpu_cache_attr attr = { .max_items = 100 };
	pthread_t thread[THREADS];

	cache = percpu_cache_create(&attr);
	CHECK(cache != NULL);
	CHECK_EQ(percpu_rwlock_init(&lock), 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	return TEST_PASS;
}

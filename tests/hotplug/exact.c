/* SPDX-License-Identifier: MIT */
/*
 * Counters, references, caches, locks and what is allocated stay exact while
 * the CPUs of the threads that use them shrink and grow, with a refresh at each
 * change.
 */
#include "cpus.h"
#include "disturb.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 100000 };

static struct percpu_counter counter;
static struct percpu_rwlock lock;
static struct percpu_cache *cache;
static struct percpu_ref ref;
static uint64_t PERCPU *plain;
static unsigned released, running = THREADS;
static pthread_t threads[THREADS];

static void on_release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void use(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	uint64_t item;

	CHECK(h != NULL);
	CHECK_EQ(percpu_sum(h), 0);
	percpu_inc(h);
	percpu_inc(plain);
	percpu_counter_add(&counter, 3);
	percpu_ref_get(&ref);
	percpu_rwlock_read_lock(&lock);
	CHECK(percpu_cache_get(cache, &item) == 0);
	CHECK(percpu_cache_put(cache, item) == 0);
	percpu_rwlock_read_unlock(&lock);
	percpu_ref_put(&ref);
	CHECK_EQ(percpu_sum(h), 1);
	percpu_free(h);
}

static void *work(void *arg)
{
	timer_t timer = disturb_by_signals();

	(void)arg;
	for (unsigned i = 0; i < ROUNDS; i++)
		use();
	CHECK(timer_delete(timer) == 0);
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* All threads on the CPUs of @set. */
static void change(const cpu_set_t *set)
{
	CHECK(sched_setaffinity(0, sizeof(*set), set) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_setaffinity_np(threads[i], sizeof(*set), set) ==
		      0);
	CHECK(percpu_cpus_refresh() == 0);
}

static void shrink_and_grow(void)
{
	cpu_set_t set;

	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0)
		for (unsigned i = 1; i <= 3; i++) {
			CPU_ZERO(&set);
			if ((i & 1) != 0)
				CPU_SET(allowed_cpu(0), &set);
			if ((i & 2) != 0)
				CPU_SET(allowed_cpu(1), &set);
			change(&set);
		}
}

static void on_alarm(int sig)
{
	(void)sig;
}

int main(void)
{
	struct percpu_cache_attr attr = { 0 };
	struct sigaction sa = { .sa_handler = on_alarm };

	allowed_cpu(1);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	CHECK(percpu_rwlock_init(&lock) == 0);
	CHECK(percpu_ref_init(&ref, on_release, 0) == 0);
	plain = percpu_new(uint64_t);
	cache = percpu_cache_create(&attr);
	CHECK(plain != NULL && cache != NULL);
	for (uint64_t i = 0; i < THREADS; i++)
		CHECK(percpu_cache_put(cache, i) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	shrink_and_grow();
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK_EQ(percpu_sum(plain), THREADS * ROUNDS);
	CHECK_EQ(percpu_counter_sum(&counter), 3 * THREADS * ROUNDS);
	CHECK_EQ(stats_of(cache).depot + stats_of(cache).magazines, THREADS);
	percpu_ref_kill(&ref);
	CHECK_EQ(released, 1);
	percpu_ref_exit(&ref);
	percpu_rwlock_destroy(&lock);
	percpu_cache_destroy(cache);
	percpu_counter_destroy(&counter);
	percpu_free(plain);
	return TEST_PASS;
}

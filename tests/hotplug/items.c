/* SPDX-License-Identifier: MIT */
/*
 * The items in the magazine of a CPU that no thread may use any more go to the
 * depot, of each cache; that of a CPU that some thread may use stays as it is.
 */
#include "cpus.h"

#include <errno.h>
#include <pthread.h>

enum { ITEMS = 40 };

static void *stay(void *arg)
{
	pthread_barrier_t *b = arg;

	pthread_barrier_wait(b);
	pthread_barrier_wait(b);
	return NULL;
}

int main(void)
{
	struct percpu_cache_attr attr = { 0 };
	struct percpu_cache *before = percpu_cache_create(&attr);
	struct percpu_cache *c = percpu_cache_create(&attr);
	struct percpu_cache *after = percpu_cache_create(&attr);
	unsigned left = allowed_cpu(1);
	pthread_barrier_t b;
	pthread_t other;
	uint64_t item;

	CHECK(c != NULL && before != NULL && after != NULL);
	CHECK(pthread_barrier_init(&b, NULL, 2) == 0);
	go_to(left);
	for (uint64_t i = 0; i < ITEMS; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	CHECK(percpu_cache_put(before, 1) == 0);
	CHECK(percpu_cache_put(after, 2) == 0);
	CHECK(pthread_create(&other, NULL, stay, &b) == 0);
	pthread_barrier_wait(&b);
	go_to(allowed_cpu(0));
	CHECK(percpu_cpus_refresh() == 0);
	if (has_magazines(c))
		CHECK_EQ(stats_of(c).magazines, ITEMS);
	pthread_barrier_wait(&b);
	CHECK(pthread_join(other, NULL) == 0);
	CHECK(percpu_cpus_refresh() == 0);
	if (can_collect(c)) {
		CHECK_EQ(stats_of(c).depot, ITEMS);
		CHECK_EQ(stats_of(before).depot, 1);
		CHECK_EQ(stats_of(after).depot, 1);
	}
	go_to(left);
	for (uint64_t i = 0; i < ITEMS; i++)
		CHECK(percpu_cache_get(c, &item) == 0);
	CHECK(percpu_cache_get(c, &item) == -ENOENT);
	percpu_cache_destroy(c);
	percpu_cache_destroy(before);
	percpu_cache_destroy(after);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * lkml 2020, 2022, caches of I/O addresses: got on one CPU and put on another,
 * over and over, items fill the caches of all. Here no more than the cap are
 * cached, and whoever is on one CPU can then get every one of them.
 */
#include "backing.h"
#include "cpus.h"

#include <pthread.h>

enum { ROUNDS = 1000000, RING = 256, M = 1000, CAP = 512 };

/* Of each walk, more than may be cached. */
enum { WALKS = 250, WALK = 4000 };

static struct percpu_cache *c;
static uint64_t ring[RING];
static size_t head, tail; /* written by the one that gets, and that puts */
static struct backing backing = { .ids = M };

static void *put_all(void *arg)
{
	go_to(*(unsigned *)arg);
	for (size_t i = 0; i < ROUNDS; i++) {
		while (__atomic_load_n(&head, __ATOMIC_ACQUIRE) == i)
			sched_yield();
		CHECK(percpu_cache_put(c, ring[i % RING]) == 0);
		__atomic_store_n(&tail, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void get_all(void)
{
	for (size_t i = 0; i < ROUNDS; i++) {
		while (i - __atomic_load_n(&tail, __ATOMIC_ACQUIRE) == RING)
			sched_yield();
		CHECK(percpu_cache_get(c, &ring[i % RING]) == 0);
		__atomic_store_n(&head, i + 1, __ATOMIC_RELEASE);
	}
}

static void check_all_here(void)
{
	uint8_t seen[M] = { 0 };
	uint64_t id;

	for (unsigned i = 0; i < M; i++) {
		CHECK(percpu_cache_get(c, &id) == 0);
		CHECK(id < M && !seen[id]);
		seen[id] = 1;
	}
	CHECK(percpu_cache_get(c, &id) == -ENOENT);
	for (uint64_t i = 0; i < M; i++)
		CHECK(percpu_cache_put(c, i) == 0);
}

/* A backing that one thread uses. */
struct pile {
	size_t n;
	uint64_t id[WALK];
};

static int pile_take(void *arg, uint64_t *id)
{
	struct pile *p = arg;

	if (p->n == 0)
		return -1;
	*id = p->id[--p->n];
	return 0;
}

static void pile_give(void *arg, uint64_t id)
{
	struct pile *p = arg;

	CHECK(p->n < WALK);
	p->id[p->n++] = id;
}

/*
 * A thread walks: it gets all that there are on one CPU, and puts them on the
 * next, 10^6 in all. Each time the cap is what keeps them from being cached,
 * and most of it is used.
 */
static void check_walks(const unsigned *cpu)
{
	static struct pile all;
	struct percpu_cache_attr attr = { CAP, 0, pile_take, pile_give, &all };
	struct percpu_cache *w = percpu_cache_create(&attr);
	static uint64_t id[WALK];
	struct percpu_cache_stats s;

	CHECK(w != NULL);
	while (all.n < WALK)
		pile_give(&all, all.n);
	for (unsigned walk = 0; walk < WALKS; walk++) {
		go_to(cpu[walk % 2]);
		for (unsigned i = 0; i < WALK; i++)
			CHECK(percpu_cache_get(w, &id[i]) == 0);
		go_to(cpu[(walk + 1) % 2]);
		for (unsigned i = 0; i < WALK; i++)
			CHECK(percpu_cache_put(w, id[i]) == 0);
		s = stats_of(w);
		CHECK(s.depot + s.magazines <= CAP);
		CHECK(s.depot + s.magazines >= CAP / 4);
		CHECK_EQ(s.depot + s.magazines, WALK - all.n);
	}
	CHECK_EQ(percpu_cache_drain(w), 0);
	CHECK_EQ(all.n, WALK);
	percpu_cache_destroy(w);
}

int main(void)
{
	struct percpu_cache_attr attr = { CAP, 0, backing_alloc, backing_free,
					  &backing };
	unsigned here = allowed_cpu(0);
	unsigned there = allowed_cpu(1);
	const unsigned both[] = { here, there };
	struct percpu_cache_stats s;
	pthread_t thread;

	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	CHECK(pthread_create(&thread, NULL, put_all, &there) == 0);
	go_to(here);
	get_all();
	CHECK(pthread_join(thread, NULL) == 0);
	s = stats_of(c);
	CHECK(s.depot + s.magazines <= CAP);
	CHECK_EQ(s.depot + s.magazines, backing.out);
	/* M - CAP and more are with the backing; the rest is on both CPUs. */
	check_all_here();
	CHECK_EQ(percpu_cache_drain(c), 0);
	CHECK_EQ(backing.out, 0);
	percpu_cache_destroy(c);
	check_walks(both);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Threads that reach a limit at the same time each get objects of their own or
 * NULL and ENOMEM. When all is freed, about as much is had as at first, around
 * what is kept at hand for CPUs; after a trim, as much.
 */
#include "limit.h"

#include <pthread.h>

#define THREADS 4u
#define MINE 512u
#define TURNS 2000u

struct worker {
	uint64_t id;
	uint64_t random;
	unsigned refused;
	uint64_t PERCPU *h[MINE];
};

static unsigned next(struct worker *w, unsigned below)
{
	w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(w->random >> 33) % below;
}

static void give(struct worker *w, unsigned i)
{
	if (w->h[i] == NULL)
		return;
	CHECK(pool_holds(w->h[i], 0, w->id * MINE + i));
	percpu_free(w->h[i]);
	w->h[i] = NULL;
}

static void take(struct worker *w, unsigned i)
{
	uint64_t *slot;

	errno = 0;
	w->h[i] = percpu_alloc((size_t)8 << next(w, 14), 8);
	if (w->h[i] == NULL) {
		CHECK_EQ(errno, ENOMEM);
		w->refused++;
		return;
	}
	CHECK(pool_holds(w->h[i], 0, 0));
	percpu_for_each_slot (slot, w->h[i])
		*slot = w->id * MINE + i;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	w->random = w->id;
	for (unsigned turn = 0; turn < TURNS; turn++) {
		unsigned i = next(w, MINE);

		give(w, i);
		take(w, i);
	}
	for (unsigned i = 0; i < MINE; i++)
		give(w, i);
	return NULL;
}

static unsigned run_all(void)
{
	static struct worker workers[THREADS];
	pthread_t threads[THREADS];
	pthread_attr_t attr;
	unsigned refused = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 << 10);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].id = i + 1;
		CHECK(pthread_create(&threads[i], &attr, work, &workers[i]) ==
		      0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		refused += workers[i].refused;
	}
	return refused;
}

static void fill_again(unsigned least)
{
	CHECK(pool_fill(POOL_MAX));
	printf("%u objects\n", pool.live);
	CHECK(pool.live >= least);
	pool_check();
	pool_free(1);
}

int main(void)
{
	unsigned first;
	unsigned refused;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer needs more");
	pool.size = 1024;
	SET_LIMIT(RLIMIT_AS, size_now() + (4 << 20) + 5 * chunk_bytes());
	CHECK(pool_fill(POOL_MAX));
	first = pool.live;
	pool_free(1);
	refused = run_all();
	printf("%u of %u allocations refused\n", refused, THREADS * TURNS);
	CHECK(refused > 0);
	fill_again(first - first / 6);
	percpu_trim();
	fill_again(first);
	return TEST_PASS;
}

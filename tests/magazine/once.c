/* SPDX-License-Identifier: MIT */
/*
 * Each item is in one place, whatever threads, their moves from CPU to CPU,
 * signals, drains, trims, steals and limits do: nobody gets one that somebody
 * has, and at the end the backing has all.
 */
#include "backing.h"
#include "cpus.h"
#include "disturb.h"
#include "random.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { THREADS = 6, HELD = 200, ROUNDS = 60000 };

static struct percpu_cache *c;
static struct backing backing = { .ids = 1024 };
static uint8_t held[IDS];
static uint64_t PERCPU *signals;

static void on_signal(int sig)
{
	(void)sig;
	percpu_inc(signals);
}

struct hand {
	uint64_t seed;
	unsigned n;
	uint64_t id[HELD];
};

static void get(struct hand *h)
{
	uint64_t id;
	int err;

	if (h->n == HELD)
		return;
	err = one_in(&h->seed, 64) ? percpu_cache_get_limit(c, 700, &id) :
				     percpu_cache_get(c, &id);
	if (err != 0)
		return;
	CHECK(id < backing.ids);
	CHECK(__atomic_exchange_n(&held[id], 1, __ATOMIC_ACQ_REL) == 0);
	h->id[h->n++] = id;
}

static void put(struct hand *h)
{
	uint64_t id;

	if (h->n == 0)
		return;
	id = h->id[--h->n];
	CHECK(__atomic_exchange_n(&held[id], 0, __ATOMIC_ACQ_REL) == 1);
	CHECK(percpu_cache_put(c, id) == 0);
}

static void turn(struct hand *h)
{
	unsigned n = pick(&h->seed, 40);

	if (one_in(&h->seed, 2))
		while (n-- > 0)
			get(h);
	else
		while (n-- > 0)
			put(h);
	if (one_in(&h->seed, 50))
		go_to(allowed_cpu(pick(&h->seed, 2)));
	if (one_in(&h->seed, 500))
		percpu_cache_drain(c);
	if (one_in(&h->seed, 500))
		percpu_cache_trim(c);
}

static void *work(void *arg)
{
	struct hand h = { .seed = (uint64_t)(uintptr_t)arg };
	timer_t timer = disturb_by_signals();

	for (int i = 0; i < ROUNDS / 40; i++)
		turn(&h);
	while (h.n > 0)
		put(&h);
	CHECK(timer_delete(timer) == 0);
	return NULL;
}

static void run(size_t max_items, unsigned batch)
{
	struct percpu_cache_attr attr = { max_items, batch, backing_alloc,
					  backing_free, &backing };
	pthread_t threads[THREADS];

	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work,
				     (void *)(i + 1)) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK_EQ(stats_of(c).depot + stats_of(c).magazines, backing.out);
	CHECK_EQ(percpu_cache_drain(c), 0);
	CHECK_EQ(backing.out, 0);
	percpu_cache_destroy(c);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	signals = percpu_new(uint64_t);
	CHECK(signals != NULL);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	allowed_cpu(0);
	run(0, 0);
	run(900, 3);
	run(40, 1);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Conformance 58, 59: threads that are moved and signalled, and whose handler
 * adds as well, add to two counters, on different CPUs; in the end both sums
 * are exact, and reads are within their bounds. Sums meanwhile never fall
 * where all adds are positive.
 */
#include "check.h"
#include "random.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>

enum { THREADS = 6, ADDS = 60000, BATCH = 4 };

struct worker {
	pthread_t id;
	int64_t added; /* to both, in all */
	int64_t handled;
	int64_t grown;
	uint64_t random;
	uint64_t handler_random;
};

static struct percpu_counter_tree a;
static struct percpu_counter_tree b;
static struct percpu_counter_tree grows;
static struct worker worker[THREADS];
static cpu_set_t cpus;
static int working = THREADS;
static pthread_key_t self;

static int64_t any(uint64_t *random)
{
	int64_t v = (int64_t)(draw(random) >> (50 + pick(random, 14)));

	return one_in(random, 2) ? v : -v;
}

static void handle(int number)
{
	struct worker *w = pthread_getspecific(self);
	int64_t v;

	(void)number;
	if (w == NULL)
		return;
	v = any(&w->handler_random);
	percpu_counter_tree_add(&a, v);
	percpu_counter_tree_sub(&b, -v);
	w->handled += v;
}

static void go_to(unsigned n)
{
	cpu_set_t one;
	unsigned cpu = 0;

	for (n %= (unsigned)CPU_COUNT(&cpus);; cpu++)
		if (CPU_ISSET(cpu, &cpus) && n-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void add_to_both(struct worker *w, unsigned i)
{
	int64_t v = any(&w->random);

	percpu_counter_tree_add(&a, v);
	if (i % 64 == 0)
		go_to(i / 64 + 1);
	percpu_counter_tree_add(&b, v);
	w->added += v;
	percpu_counter_tree_add(&grows, i % 9);
	w->grown += i % 9;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	pthread_setspecific(self, w);
	for (unsigned i = 0; i < ADDS; i++)
		add_to_both(w, i);
	__atomic_fetch_sub(&working, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Signals everybody, and looks at what only grows, until all have worked. */
static void disturb(void)
{
	int64_t before = 0;

	while (__atomic_load_n(&working, __ATOMIC_ACQUIRE) > 0) {
		int64_t now = percpu_counter_tree_sum(&grows);

		CHECK(now >= before);
		before = now;
		for (unsigned i = 0; i < THREADS; i++)
			pthread_kill(worker[i].id, SIGUSR1);
		sched_yield();
	}
}

static void check(const struct percpu_counter_tree *t, int64_t sum)
{
	int64_t under;
	int64_t over;

	percpu_counter_tree_bounds(t, &under, &over);
	CHECK_EQ(percpu_counter_tree_sum(t), sum);
	CHECK(percpu_counter_tree_read(t) >= sum - under);
	CHECK(percpu_counter_tree_read(t) <= sum + over);
}

static void check_all(void)
{
	int64_t sum = 0;
	int64_t grown = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		sum += worker[i].added + worker[i].handled;
		grown += worker[i].grown;
	}
	check(&a, sum);
	check(&b, sum);
	check(&grows, grown);
	CHECK(percpu_counter_tree_order(&a, &b) == 0);
	CHECK(percpu_counter_tree_read_order(&a, &b) == 0);
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle };

	CHECK(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	CHECK(pthread_key_create(&self, NULL) == 0);
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	CHECK(percpu_counter_tree_init(&a, 0, BATCH) == 0);
	CHECK(percpu_counter_tree_init(&b, 0, BATCH) == 0);
	CHECK(percpu_counter_tree_init(&grows, 0, BATCH) == 0);
	for (unsigned i = 0; i < THREADS; i++) {
		worker[i].random = i;
		worker[i].handler_random = 100 + i;
		CHECK(pthread_create(&worker[i].id, NULL, work, &worker[i]) ==
		      0);
	}
	disturb();
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(worker[i].id, NULL);
	check_all();
	return TEST_PASS;
}

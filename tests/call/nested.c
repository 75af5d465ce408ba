/* SPDX-License-Identifier: MIT */
/*
 * Conformance 87: called functions that call, each other's CPU and their own,
 * end; deeper than PERCPU_CALL_DEPTH they are told so, and none hangs.
 */
#include "support.h"

enum { SECONDS = 60, CALLERS = 4, ROUNDS = 100 };

struct chain {
	unsigned hops; /* CPUs in turn */
	unsigned left;
	unsigned ran;
	int err;
};

static void hop(void *arg)
{
	struct chain *c = arg;
	int err;

	c->ran++;
	if (c->left-- == 0)
		return;
	err = percpu_call(cpu_at(c->left % c->hops), hop, c);
	if (err < 0)
		c->err = err;
}

static void check_chain(unsigned hops, unsigned left, unsigned ran, int err)
{
	struct chain c = { .hops = hops, .left = left };

	CHECK(percpu_call(cpu_at(left % hops), hop, &c) == 0);
	CHECK_EQ(c.ran, ran);
	CHECK(c.err == err);
}

/* To itself: function within function, so many and no more. */
static void check_self(void)
{
	check_chain(1, 0, 1, 0);
	check_chain(1, PERCPU_CALL_DEPTH - 1, PERCPU_CALL_DEPTH, 0);
	check_chain(1, PERCPU_CALL_DEPTH, PERCPU_CALL_DEPTH, -EDEADLK);
	check_chain(1, 1000, PERCPU_CALL_DEPTH, -EDEADLK);
	check_chain(1, 0, 1, 0);
}

/* Two in turn: the first that is as deep is the one that began. */
static void check_two(void)
{
	unsigned most = 2 * PERCPU_CALL_DEPTH - 1;

	if (nr_cpus < 2)
		return;
	check_chain(2, most - 1, most, 0);
	check_chain(2, 1000, most, -EDEADLK);
}

static uint64_t refused;

static void cross(void *arg)
{
	uint64_t n = 0;
	int err = percpu_call(*(unsigned *)arg, count_one, &n);

	if (err == -EDEADLK)
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
	else
		CHECK(err == 0);
	CHECK_EQ(n, err == 0);
}

/* Each CPU calls the next while that calls it. */
static void *cross_all(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned next = cpu_at(me + 1);

		CHECK(percpu_call(cpu_at(me), cross, &next) == 0);
	}
	return NULL;
}

/* What was queued to a CPU before a call from it to itself runs before. */
static void in_order(void *arg)
{
	struct percpu_csd csd;
	uint64_t n = 0;

	percpu_csd_init(&csd, count_one, &n);
	CHECK(percpu_call_async(*(unsigned *)arg, &csd) == 0);
	CHECK_EQ(n, 0);
	CHECK(percpu_call(*(unsigned *)arg, do_nothing, NULL) == 0);
	CHECK_EQ(n, 1);
}

int main(void)
{
	pthread_t threads[CALLERS];
	unsigned cpu;

	alarm(SECONDS);
	find_cpus();
	cpu = cpu_at(0);
	CHECK(percpu_call(cpu, in_order, &cpu) == 0);
	check_self();
	check_two();
	for (uintptr_t i = 0; i < CALLERS; i++)
		CHECK(pthread_create(&threads[i], NULL, cross_all, (void *)i) ==
		      0);
	for (unsigned i = 0; i < CALLERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	check_self();
	return TEST_PASS;
}

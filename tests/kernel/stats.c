/* SPDX-License-Identifier: MIT */
/*
 * Statistics and local counts are exact through a pointer to this CPU's object,
 * although other threads are on that CPU, and this one is moved.
 */
#include "check.h"

#include <percpu/kernel.h>

#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, ROUNDS = 20000 };

struct stats {
	u64_stats_t packets;
	u64_stats_t bytes;
	struct u64_stats_sync syncp;
	local_t local;
};

static struct stats __percpu *stats;

/* Whole numbers, as many as there is room for. */
static void copies(void)
{
	struct {
		u64_stats_t a, b, c;
	} from;
	u64 to[3] = { 0, 0, 7 };
	struct u64_stats_sync syncp;

	u64_stats_init(&syncp);
	u64_stats_set(&from.a, 1);
	u64_stats_set(&from.b, ~0ull);
	u64_stats_set(&from.c, 3);
	do
		u64_stats_copy(to, &from, 2 * sizeof(u64));
	while (u64_stats_fetch_retry_irq(&syncp,
					 u64_stats_fetch_begin_irq(&syncp)));
	CHECK_EQ(to[0], 1);
	CHECK_EQ(to[1], ~0ull);
	CHECK_EQ(to[2], 7);
}

static void conditions(void)
{
	local_t l = LOCAL_INIT(0);

	CHECK(!local_inc_not_zero(&l));
	CHECK(local_add_unless(&l, 5, 1));
	CHECK(!local_add_unless(&l, 5, 5));
	CHECK(local_inc_not_zero(&l));
	CHECK(!local_add_negative(-6, &l));
	CHECK(local_add_negative(-1, &l));
	CHECK_EQ(local_read(&l), -1);
}

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct stats *s = get_cpu_ptr(stats);

		if (i % 1000 == 0)
			sched_yield();
		u64_stats_update_begin(&s->syncp);
		u64_stats_inc(&s->packets);
		u64_stats_add(&s->bytes, 5);
		u64_stats_sub(&s->bytes, 2);
		u64_stats_update_end(&s->syncp);
		local_add(3, &s->local);
		local_dec(&s->local);
		put_cpu_ptr(stats);
	}
	return arg;
}

static void read_all(u64 *packets, u64 *bytes, long *local)
{
	unsigned cpu, start;

	for_each_possible_cpu (cpu) {
		struct stats *s = per_cpu_ptr(stats, cpu);
		u64 p, b;

		do {
			start = u64_stats_fetch_begin(&s->syncp);
			p = u64_stats_read(&s->packets);
			b = u64_stats_read(&s->bytes);
		} while (u64_stats_fetch_retry(&s->syncp, start));
		*packets += p;
		*bytes += b;
		*local += local_read(&s->local);
	}
}

static void one(void)
{
	local_t l = LOCAL_INIT(4);
	struct u64_stats_sync sync;
	u64_stats_t n;
	long old = 0;

	local_inc(&l);
	local_sub(2, &l);
	CHECK_EQ(local_add_return(1, &l), 4);
	CHECK_EQ(local_sub_return(4, &l), 0);
	local_set(&l, -1);
	CHECK(local_read(&l) == -1);
	CHECK(local_inc_and_test(&l) && !local_dec_and_test(&l));
	CHECK_EQ(local_inc_return(&l), 0);
	CHECK(local_dec_return(&l) == -1 && local_sub_and_test(-1, &l));
	CHECK_EQ(local_xchg(&l, 7), 0);
	CHECK_EQ(local_cmpxchg(&l, 6, 5), 7);
	CHECK_EQ(local_cmpxchg(&l, 7, 5), 7);
	CHECK(!local_try_cmpxchg(&l, &old, 8) && old == 5);
	CHECK(local_try_cmpxchg(&l, &old, 8) && local_read(&l) == 8);
	u64_stats_init(&sync);
	u64_stats_update_end_irqrestore(&sync,
					u64_stats_update_begin_irqsave(&sync));
	u64_stats_set(&n, 9);
	CHECK_EQ(u64_stats_read(&n), 9);
}

int main(void)
{
	pthread_t threads[THREADS];
	u64 packets = 0, bytes = 0;
	long local = 0;

	stats = alloc_percpu(struct stats);
	CHECK(stats != NULL);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	read_all(&packets, &bytes, &local);
	CHECK_EQ(packets, THREADS * ROUNDS);
	CHECK_EQ(bytes, 3 * THREADS * ROUNDS);
	CHECK_EQ(local, 2 * THREADS * ROUNDS);
	one();
	copies();
	conditions();
	free_percpu(stats);
	return TEST_PASS;
}

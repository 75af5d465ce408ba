/* SPDX-License-Identifier: MIT */
/*
 * static.c: a static tree counts without any init, before there is memory, in a
 * constructor and in a signal handler; it gets its per-CPU part from sync, a
 * read or a sum, or in an add of a handler from what others have left at hand;
 * nothing is lost at the change, and sums never go back. So does a tree that is
 * all zero, of batch 32.
 */
#include "check.h"
#include "counter_tree_nodes.h"
#include "counter_tree_shape.h"
#include "crowd.h"

#include <percpu/percpu.h>
#include <signal.h>

#define STATIC(name, v, batch)                                                 \
	static struct percpu_counter_tree name =                               \
		PERCPU_COUNTER_TREE_INITIALIZER(v, batch)

STATIC(first, 5, 4);
STATIC(looked, 0, 64);
STATIC(summed, 0, 64);
STATIC(busy, -3, 4);
STATIC(half, 1, 32);
static struct percpu_counter_tree zero;

static void __attribute__((constructor)) before_main(void)
{
	percpu_counter_tree_add(&first, 10);
}

static void on_signal(int sig)
{
	(void)sig;
	percpu_counter_tree_inc(&zero);
}

static size_t chunks(void)
{
	struct percpu_alloc_stats stats;

	percpu_alloc_stats(&stats);
	return stats.chunks;
}

static bool has_part(const struct percpu_counter_tree *t)
{
	return percpu_counter_tree_error_bound(t) != 0;
}

static void check_without(void)
{
	percpu_counter_tree_sub(&first, 5);
	percpu_counter_tree_add(&looked, 7);
	percpu_counter_tree_add(&summed, 8);
	raise(SIGUSR1);
	CHECK(!has_part(&zero));
	CHECK_EQ(chunks(), 0);
}

/* sync gives one to first, and leaves some at hand for zero. */
static void check_with(void)
{
	percpu_counter_tree_sync(&first);
	percpu_counter_tree_inc(&first);
	CHECK(has_part(&first));
	CHECK_EQ(percpu_counter_tree_sum(&first), 11);
	raise(SIGUSR1);
	CHECK(has_part(&zero));
	CHECK_EQ(zero.batch, 32);
	raise(SIGUSR1);
	CHECK_EQ(percpu_counter_tree_sum(&zero), 3);
}

static void check_looked_at(void)
{
	CHECK_EQ(percpu_counter_tree_read(&looked), 7);
	CHECK_EQ(percpu_counter_tree_sum(&summed), 8);
	percpu_counter_tree_inc(&looked);
	percpu_counter_tree_inc(&summed);
	CHECK(has_part(&looked) && has_part(&summed));
	CHECK_EQ(percpu_counter_tree_sum(&looked), 8);
	CHECK_EQ(percpu_counter_tree_sum(&summed), 9);
}

/* Who brought nodes was stopped then, or stayed behind in a fork. */
static void check_half(void)
{
	half.nodes = percpu__counter_tree_nodes_get(
		percpu__tree_nodes(percpu_nr_slots()));
	CHECK_EQ(percpu_counter_tree_read(&half), 1);
	percpu_counter_tree_add(&half, 1000);
	CHECK_EQ(percpu_counter_tree_sum(&half), 1001);
	CHECK(has_part(&half));
	percpu_counter_tree_add(&half, 1000);
	CHECK(percpu_counter_tree_read(&half) > 1001);
	percpu_counter_tree_destroy(&half);
}

static void step(struct crowd_member *me)
{
	percpu_counter_tree_inc(&busy);
	me->added++;
	if (me->steps % 64 == 0)
		CHECK(percpu_counter_tree_sum(&busy) >= me->added - 3);
}

static void handler(struct crowd_member *me)
{
	percpu_counter_tree_add(&busy, 2);
	me->added_in_handler += 2;
}

static void check_busy(struct crowd *c)
{
	int64_t sum = -3;

	crowd_run(c);
	sum += crowd_added(c);
	CHECK_EQ(percpu_counter_tree_sum(&busy), sum);
	sum -= percpu_counter_tree_read(&busy);
	CHECK(sum <= percpu_counter_tree_error_bound(&busy));
	CHECK(-sum <= percpu_counter_tree_error_bound(&busy));
	for (unsigned k = 0; k < CROWD; k++)
		c->member[k] = (struct crowd_member){ 0 };
	percpu_counter_tree_destroy(&busy);
	busy = (struct percpu_counter_tree)PERCPU_COUNTER_TREE_INITIALIZER(-3,
									   4);
}

int main(void)
{
	static struct crowd c = { .step = step,
				  .handler = handler,
				  .steps = 3000 };
	struct percpu_counter_tree other;

	CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
	check_without();
	check_with();
	check_looked_at();
	check_half();
	CHECK(percpu_counter_tree_init(&other, 0, 2) == 0);
	for (unsigned i = 0; i < 20; i++)
		check_busy(&c);
	percpu_counter_tree_destroy(&other);
	return TEST_PASS;
}

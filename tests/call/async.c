/* SPDX-License-Identifier: MIT */
/*
 * Conformance 81: a csd in flight is busy, and is free before its function
 * starts, which may queue it again, or free it.
 */
#include "support.h"

enum { SECONDS = 60, AGAIN = 1000 };

/* While the worker is held, what is queued behind is busy; then it runs. */
static void check_busy(unsigned cpu)
{
	struct percpu_csd first;
	struct percpu_csd second;
	uint64_t n = 0;

	running = go_on = false;
	percpu_csd_init(&first, hold, NULL);
	percpu_csd_init(&second, count_one, &n);
	CHECK(percpu_call_async(cpu, &first) == 0);
	wait_for(&running);
	/* It runs, so it is free; queued again it is busy. */
	percpu_csd_init(&first, count_one, &n);
	CHECK(percpu_call_async(cpu, &first) == 0);
	CHECK(percpu_call_async(cpu, &first) == -EBUSY);
	CHECK(percpu_call_async(cpu, &second) == 0);
	CHECK(percpu_call_async(cpu_at(1), &second) == -EBUSY);
	CHECK_EQ(n, 0);
	raise_flag(&go_on);
	CHECK(percpu_call(cpu, do_nothing, NULL) == 0);
	CHECK_EQ(n, 2);
}

struct again {
	struct percpu_csd csd;
	unsigned left;
	unsigned moves;
	bool ended;
};

static void queue_again(void *arg)
{
	struct again *a = arg;

	a->moves++;
	if (--a->left == 0)
		raise_flag(&a->ended);
	else
		CHECK(percpu_call_async(cpu_at(a->left), &a->csd) == 0);
}

static void check_again(void)
{
	struct again a = { .left = AGAIN };

	percpu_csd_init(&a.csd, queue_again, &a);
	CHECK(percpu_call_async(cpu_at(0), &a.csd) == 0);
	wait_for(&a.ended);
	CHECK_EQ(a.moves, AGAIN);
}

static bool freed;

static void free_it(void *arg)
{
	memset(arg, 0xff, sizeof(struct percpu_csd));
	free(arg);
	raise_flag(&freed);
}

static void check_freed(unsigned cpu)
{
	struct percpu_csd *csd = aligned_alloc(32, sizeof(*csd));

	CHECK(csd != NULL);
	freed = false;
	percpu_csd_init(csd, free_it, csd);
	CHECK(percpu_call_async(cpu, csd) == 0);
	wait_for(&freed);
}

int main(void)
{
	alarm(SECONDS);
	find_cpus();
	for (unsigned i = 0; i < nr_cpus; i++) {
		check_busy(cpus[i]);
		check_freed(cpus[i]);
	}
	check_again();
	return TEST_PASS;
}

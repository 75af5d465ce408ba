/* SPDX-License-Identifier: MIT */
/* percpu bench: threads are pinned, variants take turns in changing order. */
#include "bench/harness.h"
#include "bench/machine.h"
#include "check.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define VARIANTS 3

static struct bench bench;
static atomic_uint wrong_cpu, wrong_ops;
static unsigned last = VARIANTS;
static unsigned long followed[VARIANTS + 1][VARIANTS];
static uint64_t done[HARNESS_MAX_THREADS][VARIANTS];

static void spin(void *arg, unsigned thread, uint64_t ops)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	if (sched_getcpu() != bench.cpus[thread])
		atomic_fetch_add(&wrong_cpu, 1);
	if (ops == 0 || ops % HARNESS_GRAIN != 0)
		atomic_fetch_add(&wrong_ops, 1);
	if (thread == 0) {
		followed[last][me]++;
		last = me;
	}
	done[thread][me] += ops;
	for (; ops != 0; ops--)
		__asm__ volatile("" : : : "memory");
}

static const struct variant variants[VARIANTS] = {
	{ .name = "a", .run = spin, .arg = (void *)0 },
	{ .name = "b", .run = spin, .arg = (void *)1 },
	{ .name = "c", .run = spin, .arg = (void *)2 },
};

static void check_samples(const struct samples *s, const struct plan *p)
{
	for (unsigned v = 0; v < VARIANTS; v++) {
		size_t kept = 0;

		for (size_t i = 0; i < s->rounds; i++)
			kept += !isnan(samples_of(s, v)[i]) ? 1 : 0;
		CHECK_EQ(s->kept[v], kept);
		CHECK(s->kept[v] <= s->tried[v]);
		CHECK(s->tried[v] <= s->rounds);
		CHECK_EQ(s->ops[v] % HARNESS_GRAIN, 0);
		for (unsigned t = 1; t < p->threads; t++)
			CHECK_EQ(done[t][v], done[0][v]);
	}
}

static void run(unsigned threads, bool alone)
{
	struct plan p = { .variants = variants,
			  .nr_variants = VARIANTS,
			  .threads = threads,
			  .cpus = bench.cpus,
			  .rounds = 20,
			  .seconds = 0.5,
			  .slice_ns = 2e4,
			  .alone = alone };
	struct samples s;

	memset(done, 0, sizeof(done));
	CHECK_EQ(harness_run(&p, &s), 0);
	CHECK(s.rounds > 0);
	check_samples(&s, &p);
	CHECK_EQ(atomic_load(&wrong_cpu), 0);
	CHECK_EQ(atomic_load(&wrong_ops), 0);
	samples_free(&s);
}

/* No variant always follows the same other one. */
static void check_order(void)
{
	for (unsigned v = 0; v < VARIANTS; v++) {
		unsigned before = 0;

		for (unsigned u = 0; u < VARIANTS; u++)
			before += u != v && followed[u][v] > 0 ? 1 : 0;
		CHECK_EQ(before, VARIANTS - 1);
	}
}

/* A CPU that does not exist is an error, and nobody waits for its thread. */
static void no_such_cpu(void)
{
	const int cpus[] = { bench.cpus[0], 8000 };
	struct plan p = { .variants = variants,
			  .nr_variants = VARIANTS,
			  .threads = 2,
			  .cpus = cpus,
			  .rounds = 20,
			  .seconds = 0.5,
			  .slice_ns = 2e4 };
	struct samples s;

	CHECK(harness_run(&p, &s) < 0);
	samples_free(&s);
}

int main(void)
{
	machine_choose_cpus(&bench);
	run(1, true);
	run(1, false);
	check_order();
	no_such_cpu();
	if (bench.nr_cpus > 1)
		run(2, false);
	return TEST_PASS;
}

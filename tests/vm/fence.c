/* SPDX-License-Identifier: MIT */
/*
 * fence.c: in a machine, no section that was running when percpu_fence() or
 * percpu_fence_cpu() was called commits after it returned.
 *
 * Threads add to the array that a pointer leads to, which their section reads.
 * The pointer is turned to another array, and after the fence the first stands
 * still. Before the fence, as a control, something must have been late: with
 * more CPUs than real ones, many a section is stopped in the middle, and no
 * interrupt restarts it as long as its CPU does not run.
 *
 * usage: fence [-t THREADS] [-n TURNS]
 */
#define SECTION_NOPS 200 /* long enough to be stopped in */
#include "section.h"

#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <unistd.h>

enum { THREADS_MAX = 128, CPUS_MAX = 256 };

static _Alignas(SECTION_STRIDE) char arrays[2][CPUS_MAX * SECTION_STRIDE];
static char *volatile at = arrays[0];
static bool stop;

static void *work(void *arg)
{
	uint64_t *aborted = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		*aborted += !section_inc(&at);
	return NULL;
}

static uint64_t sum(unsigned array)
{
	return section_sum(arrays[array], percpu_nr_cpu_ids());
}

static void fence(bool one_by_one)
{
	if (!one_by_one) {
		CHECK_EQ(percpu_fence(), 0);
		return;
	}
	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids(); cpu++)
		CHECK_EQ(percpu_fence_cpu(cpu), 0);
}

/* Whether sections were late; those that the fence did not see must not be. */
static bool turn(unsigned i)
{
	unsigned old = i % 2;
	uint64_t before;
	uint64_t after;

	__atomic_store_n(&at, arrays[!old], __ATOMIC_SEQ_CST);
	before = sum(old);
	fence(i % 4 >= 2);
	after = sum(old);
	/* Every thread gets on, and what was stopped goes on. */
	usleep(20000);
	if (sum(old) != after)
		FAIL("turn %u: %llu sections ended after the fence", i,
		     (unsigned long long)(sum(old) - after));
	return before != after;
}

int main(int argc, char **argv)
{
	static pthread_t id[THREADS_MAX];
	static uint64_t aborted[THREADS_MAX];
	unsigned threads = 2 * (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned turns = 20;
	unsigned late = 0;
	int opt;

	while ((opt = getopt(argc, argv, "t:n:")) != -1) {
		CHECK(opt == 't' || opt == 'n');
		*(opt == 't' ? &threads : &turns) = (unsigned)atoi(optarg);
	}
	CHECK(threads <= THREADS_MAX && percpu_nr_cpu_ids() <= CPUS_MAX);
	for (unsigned i = 0; i < threads; i++)
		CHECK(pthread_create(&id[i], NULL, work, &aborted[i]) == 0);
	for (unsigned i = 0; i < turns; i++)
		late += turn(i);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(id[i], NULL);
		aborted[0] += i == 0 ? 0 : aborted[i];
	}
	printf("%u threads, %u turns, in %u of them sections were late; ",
	       threads, turns, late);
	printf("%llu sections, %llu aborted\n",
	       (unsigned long long)(sum(0) + sum(1)),
	       (unsigned long long)aborted[0]);
	if (late == 0)
		FAIL("proved nothing: no section was late before a fence");
	return TEST_PASS;
}

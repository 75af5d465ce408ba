/* SPDX-License-Identifier: MIT */
/*
 * Conformance 84 to 86: each CPU of a set runs the function once, the caller's
 * too unless it is left out; a set that changes meanwhile hangs nobody; where
 * the condition is true for none, nobody is woken. Functions run at the same
 * time: they can wait for one another.
 */
#include "support.h"
#include "threads.h"

#include <fcntl.h>

enum { SECONDS = 60, ROUNDS = 200 };

static uint64_t runs[CPU_SETSIZE];

static void count_here(void *arg)
{
	(void)arg;
	__atomic_fetch_add(&runs[percpu_this_cpu()], 1, __ATOMIC_RELAXED);
}

static unsigned asked;

static bool never(unsigned cpu, void *arg)
{
	asked++;
	CHECK(percpu_cpu_online(cpu) && arg == &asked);
	return false;
}

/* Before any call: it makes no worker. */
static void check_none(void)
{
	unsigned threads = threads_now();
	cpu_set_t none;

	CPU_ZERO(&none);
	CHECK(percpu_call_each(never, count_here, &asked, 0) == 0);
	CHECK(asked > 0);
	CHECK(percpu_call_many(&none, sizeof(none), count_here, NULL, 0) == 0);
	CHECK(percpu_call_any(&none, sizeof(none), count_here, NULL) == -ENXIO);
	CHECK_EQ(threads_now(), threads);
	CHECK(percpu_call_each(NULL, count_here, NULL, 1u << 20) == -EINVAL);
	CHECK(percpu_call_many(&none, 0, count_here, NULL, ~0u) == -EINVAL);
}

static void expect_runs(int without, uint64_t each)
{
	for (unsigned i = 0; i < CPU_SETSIZE; i++) {
		bool is = false;

		for (unsigned j = 0; j < nr_cpus; j++)
			is |= cpus[j] == i;
		CHECK_EQ(runs[i], is && (int)i != without ? each : 0);
		runs[i] = 0;
	}
}

static bool even(unsigned cpu, void *arg)
{
	(void)arg;
	return cpu == cpus[0];
}

static void all(cpu_set_t *set)
{
	memset(set, 0xff, sizeof(*set));
}

static void check_all(void)
{
	cpu_set_t set;

	all(&set);
	CHECK(percpu_call_many(&set, sizeof(set), count_here, NULL, 0) == 0);
	expect_runs(-1, 1);
	CHECK(percpu_call_each(NULL, count_here, NULL, PERCPU_CALL_WAIT) == 0);
	expect_runs(-1, 1);
	CHECK(percpu_call_each(even, count_here, NULL, 0) == 0);
	CHECK_EQ(runs[cpus[0]], 1);
	runs[cpus[0]] = 0;
	expect_runs(-1, 0);
}

/* The caller is a worker: it is where it says. */
static void from_worker(void *arg)
{
	unsigned self = *(unsigned *)arg;
	cpu_set_t set;

	all(&set);
	CHECK(percpu_call_many(&set, sizeof(set), count_here, NULL,
			       PERCPU_CALL_OTHERS) == 0);
	expect_runs((int)self, 1);
	CHECK(percpu_call_many(&set, sizeof(set), count_here, NULL, 0) == 0);
	expect_runs(-1, 1);
	CHECK(percpu_call_any(&set, sizeof(set), count_here, NULL) ==
	      (int)self);
	CHECK_EQ(runs[self], 1);
	runs[self] = 0;
}

static void check_any(void)
{
	cpu_set_t set;
	unsigned last = cpus[nr_cpus - 1];

	CPU_ZERO(&set);
	CPU_SET(last, &set);
	CPU_SET(CPU_SETSIZE - 1, &set);
	CHECK(percpu_call_any(&set, sizeof(set), count_here, NULL) ==
	      (int)last);
	CHECK_EQ(runs[last], 1);
	runs[last] = 0;
}

static unsigned arrived;

/* Ends only when all have come. */
static void meet(void *arg)
{
	count_here(arg);
	__atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < nr_cpus)
		usleep(100);
}

static void check_meet(unsigned flags)
{
	arrived = 0;
	CHECK(percpu_call_each(NULL, meet, NULL, flags) == 0);
	for (unsigned i = 0; i < nr_cpus; i++)
		CHECK(percpu_call(cpus[i], do_nothing, NULL) == 0);
	expect_runs(-1, 1);
}

static void check_nowait(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		CHECK(percpu_call_each(NULL, count_here, NULL,
				       PERCPU_CALL_NOWAIT) == 0);
	for (unsigned i = 0; i < nr_cpus; i++)
		CHECK(percpu_call(cpus[i], do_nothing, NULL) == 0);
	expect_runs(-1, ROUNDS);
}

/* Pages of the process, in one read. */
static unsigned long pages_now(void)
{
	char text[128] = "";
	int fd = open("/proc/self/statm", O_RDONLY);

	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	CHECK(close(fd) == 0);
	return strtoul(text, NULL, 10);
}

/* What such calls take is had again: no more than were ever in flight. */
static void check_memory(void)
{
	unsigned long pages = pages_now();

	for (unsigned i = 0; i < 5 * ROUNDS; i++) {
		CHECK(percpu_call_each(NULL, count_here, NULL,
				       PERCPU_CALL_NOWAIT) == 0);
		for (unsigned j = 0; j < nr_cpus; j++)
			CHECK(percpu_call(cpus[j], do_nothing, NULL) == 0);
	}
	expect_runs(-1, 5 * ROUNDS);
	CHECK_EQ(pages_now(), pages);
}

static cpu_set_t shared;
static bool ended;

static void *change(void *arg)
{
	unsigned long *words = (unsigned long *)&shared;

	for (unsigned i = 0; !__atomic_load_n(&ended, __ATOMIC_RELAXED); i++)
		__atomic_store_n(words, i % 2 ? ~0ul : 0, __ATOMIC_RELAXED);
	return arg;
}

static void check_changing(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, change, NULL) == 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		CHECK(percpu_call_many(&shared, sizeof(shared), count_here,
				       NULL,
				       i % 2 ? PERCPU_CALL_NOWAIT : 0) == 0);
		for (unsigned j = 0; j < nr_cpus; j++) {
			CHECK(percpu_call(cpus[j], do_nothing, NULL) == 0);
			CHECK(runs[cpus[j]] <= 1);
			runs[cpus[j]] = 0;
		}
	}
	__atomic_store_n(&ended, true, __ATOMIC_RELAXED);
	CHECK(pthread_join(thread, NULL) == 0);
}

int main(void)
{
	alarm(SECONDS);
	check_none();
	find_cpus();
	check_all();
	for (unsigned i = 0; i < nr_cpus; i++)
		CHECK(percpu_call(cpus[i], from_worker, &cpus[i]) == 0);
	check_any();
	check_meet(PERCPU_CALL_WAIT);
	check_meet(PERCPU_CALL_NOWAIT);
	check_nowait();
	check_memory();
	check_changing();
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * In a machine, each CPU, then all CPUs of each node, go off line and come back
 * while threads use everything there is: all stays exact, each call that was
 * taken ran once, nothing hangs and nothing is left. Of a CPU that goes the
 * memory under counters and references comes back.
 *
 * usage: hotplug [SECONDS]: rounds for so long; one, if not given
 */
#include "../hotplug/load.h"
#include "online.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64, CPUS_MAX = 64, NODES_MAX = 8, COUNTERS = 2000 };
enum { REFS = 3000, BYTES = COUNTERS * 16 + REFS * 4 };

static bool stop;
static uint64_t steps;
static uint64_t calls, refused;
static struct percpu_counter counters[COUNTERS];
static int64_t counted;
static struct percpu_ref refs[REFS];
static int64_t taken = 1;
static unsigned released;

static void hit(void *arg)
{
	__atomic_fetch_add((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

/* To a CPU that may be away, or go in the middle. */
static void call(unsigned cpu)
{
	unsigned hits = 0;
	int err = percpu_call(cpu, hit, &hits);

	if (err != 0 && err != -ESTALE && err != -ENXIO)
		FAIL("percpu_call: %d", err);
	CHECK_EQ(hits, err != -ENXIO);
	__atomic_fetch_add(err == -ENXIO ? &refused : &calls, 1,
			   __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	uint64_t done = 0;
	unsigned cpu = (unsigned)(uintptr_t)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (unsigned i = 0; i < 64; i++)
			load_step();
		done += 64;
		call(cpu++ % percpu_nr_cpu_ids());
	}
	__atomic_fetch_add(&steps, done, __ATOMIC_RELAXED);
	return NULL;
}

/* False for the CPU that always stays. */
static bool put(unsigned cpu, bool online)
{
	int err = online_put(cpu, online);

	if (err == -ENOENT)
		return false;
	CHECK(err == 0);
	CHECK(percpu_cpu_online(cpu) == online);
	return true;
}

static void check_all(void)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		CHECK_EQ(percpu_counter_sum(&counters[i]), counted);
	for (unsigned i = 0; i < REFS; i++)
		CHECK_EQ(percpu_ref_val(&refs[i]), taken);
}

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void start_refs(void)
{
	for (unsigned i = 0; i < REFS; i++)
		CHECK(percpu_ref_init(&refs[i], release, 0) == 0);
}

static void end_refs(void)
{
	for (unsigned i = 0; i < REFS; i++) {
		percpu_ref_kill(&refs[i]);
		percpu_ref_put_many(&refs[i], (uint64_t)taken - 1);
		CHECK_EQ(released, i + 1);
		CHECK(percpu_ref_exit(&refs[i]) == 0);
	}
}

/* On that CPU, if it is there. */
static void count_on(unsigned cpu)
{
	cpu_set_t all, one;

	CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
	for (unsigned i = 0; i < COUNTERS; i++)
		percpu_counter_add(&counters[i], 5);
	counted += 5;
	for (unsigned i = 0; i < REFS; i++)
		percpu_ref_get(&refs[i]);
	taken++;
	CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
}

/*
 * @cpu is gone; its pages of counters and references, of which it had @had
 * bytes, too, where slots are CPUs'.
 */
static void check_memory(unsigned cpu, size_t had)
{
	if (getenv("PERCPU_INDEX") == NULL)
		CHECK(percpu_alloc_populated(cpu) + BYTES <= had);
	check_all();
}

static void round_of_cpus(void)
{
	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids(); cpu++) {
		size_t had;

		count_on(cpu);
		had = percpu_alloc_populated(cpu);
		if (!put(cpu, false))
			continue;
		CHECK(percpu_cpus_refresh() == 0);
		check_memory(cpu, had);
		put(cpu, true);
		CHECK(percpu_cpus_refresh() == 0);
	}
}

static void put_node(const int *node_of, int node, bool online)
{
	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids(); cpu++)
		if (node_of[cpu] == node)
			put(cpu, online);
	CHECK(percpu_cpus_refresh() == 0);
}

static void round_of_nodes(const int *node_of)
{
	for (int node = 0; node < NODES_MAX; node++) {
		put_node(node_of, node, false);
		put_node(node_of, node, true);
	}
}

static void rounds(time_t seconds)
{
	time_t end = time(NULL) + seconds;
	int node_of[CPUS_MAX];

	CHECK(percpu_nr_cpu_ids() <= CPUS_MAX);
	/* The kernel tells the node of CPUs on line alone. */
	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids(); cpu++)
		node_of[cpu] = percpu_cpu_to_node(cpu);
	do {
		round_of_cpus();
		round_of_nodes(node_of);
	} while (time(NULL) < end);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	unsigned n = 2 * (unsigned)sysconf(_SC_NPROCESSORS_ONLN);

	CHECK(n <= THREADS_MAX);
	load_start(n);
	CHECK(percpu_counter_init_many(counters, 0, COUNTERS) == 0);
	start_refs();
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_create(&threads[i], NULL, work,
				     (void *)(uintptr_t)i) == 0);
	rounds(argc > 1 ? atoi(argv[1]) : 0);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	printf("%ju steps, %ju calls, %ju refused\n", (uintmax_t)steps,
	       (uintmax_t)calls, (uintmax_t)refused);
	CHECK(calls > 0);
	check_all();
	percpu_counter_destroy_many(counters, COUNTERS);
	end_refs();
	load_end(steps);
	return TEST_PASS;
}

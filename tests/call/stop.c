/* SPDX-License-Identifier: MIT */
/*
 * B27, conformance 88: many threads call idle workers, with pauses, and in the
 * middle all is stopped. Each accepted call has run once when that returns,
 * later ones are refused, and nobody hangs.
 *
 * usage: stop THREADS CALLS
 */
#include "support.h"

#include "random.h"

enum { SECONDS = 280, RING = 4 };

struct caller {
	uint64_t accepted;
	uint64_t ran;
	uint64_t refused;
	unsigned number;
};

static uint64_t calls;
static uint64_t under_way;
static bool stopped;
static cpu_set_t all;

static void run(void *arg)
{
	/* Never after the end of the stop. */
	CHECK(!__atomic_load_n(&stopped, __ATOMIC_SEQ_CST));
	count_one(arg);
}

static int call(struct caller *c, struct percpu_csd *csd, uint64_t *seed)
{
	unsigned cpu = cpu_at(pick(seed, 64));

	if (one_in(seed, 2))
		return percpu_call(cpu, run, &c->ran);
	if (one_in(seed, 8))
		return percpu_call_any(&all, sizeof(all), run, &c->ran);
	return percpu_call_async(cpu, &csd[pick(seed, RING)]);
}

static void *call_all(void *arg)
{
	/* Not of this stack: they may be in flight at its end. */
	static struct percpu_csd rings[1024][RING];
	struct caller *c = arg;
	struct percpu_csd *ring = rings[c->number];
	uint64_t seed = c->number;

	for (unsigned i = 0; i < RING; i++)
		percpu_csd_init(&ring[i], run, &c->ran);
	for (uint64_t i = 0; i < calls; i++) {
		int err = call(c, ring, &seed);

		CHECK(err >= 0 || err == -EBUSY || err == -ESHUTDOWN);
		c->accepted += err >= 0;
		c->refused += err == -ESHUTDOWN;
		if (c->refused > 100)
			break;
		if (i == calls / 4)
			__atomic_fetch_add(&under_way, 1, __ATOMIC_RELAXED);
		if (one_in(&seed, 16))
			usleep(pick(&seed, 200));
	}
	return NULL;
}

static void check_late(void)
{
	struct percpu_csd csd;
	uint64_t n = 0;

	percpu_csd_init(&csd, count_one, &n);
	for (unsigned i = 0; i < percpu_nr_cpu_ids(); i++) {
		CHECK(percpu_call(i, count_one, &n) == -ESHUTDOWN);
		CHECK(percpu_call_async(i, &csd) == -ESHUTDOWN);
	}
	CHECK(percpu_call_each(NULL, count_one, &n, 0) == -ESHUTDOWN);
	CHECK(percpu_call_each(NULL, count_one, &n, PERCPU_CALL_NOWAIT) ==
	      -ESHUTDOWN);
	CHECK(percpu_call_stop() == 0);
	CHECK_EQ(n, 0);
}

static void stop_within(void *arg)
{
	*(int *)arg = percpu_call_stop();
}

int main(int argc, char **argv)
{
	unsigned n = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
	struct caller *callers = calloc(n, sizeof(*callers));
	pthread_t *threads = calloc(n, sizeof(*threads));
	int within = 0;

	alarm(SECONDS);
	CHECK(n > 0 && n <= 1024 && callers != NULL && threads != NULL);
	calls = strtoull(argv[2], NULL, 10);
	find_cpus();
	memset(&all, 0xff, sizeof(all));
	CHECK(percpu_call(cpu_at(0), stop_within, &within) == 0);
	CHECK(within == -EDEADLK);
	for (unsigned i = 0; i < n; i++) {
		callers[i].number = i;
		CHECK(pthread_create(&threads[i], NULL, call_all,
				     &callers[i]) == 0);
	}
	while (__atomic_load_n(&under_way, __ATOMIC_RELAXED) < n / 2 + 1)
		usleep(100);
	CHECK(percpu_call_stop() == 0);
	__atomic_store_n(&stopped, true, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(callers[i].ran, callers[i].accepted);
	check_late();
	free(callers);
	free(threads);
	return TEST_PASS;
}

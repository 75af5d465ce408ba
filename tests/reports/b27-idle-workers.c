/* SPDX-License-Identifier: MIT */
/*
 * B27, wake-ups lost: many threads call workers that have just gone to sleep,
 * or are about to: every call returns, and has run once. Then calls that nobody
 * waits for are in flight when all is stopped: what was accepted has run once
 * when that returns, what comes later is refused.
 *
 * usage: b27-idle-workers THREADS CALLS
 */
#include "../call/support.h"

#include "random.h"

enum { SECONDS = 170, RING = 64 };

static uint64_t calls;
static uint64_t ran;
static bool stopping;

/* Pauses of all lengths about that of a worker's falling asleep. */
static void rest(uint64_t *seed)
{
	uint64_t spins = pick(seed, 2000);

	if (one_in(seed, 32))
		usleep((unsigned)pick(seed, 100));
	else
		while (spins-- > 0)
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void *call_and_rest(void *arg)
{
	uint64_t seed = (uintptr_t)arg;

	for (uint64_t i = 0; i < calls; i++) {
		uint64_t here = 0;

		CHECK(percpu_call(cpu_at((unsigned)pick(&seed, 64)), count_one,
				  &here) == 0);
		CHECK_EQ(here, 1);
		rest(&seed);
	}
	return NULL;
}

/* How many were accepted, until one is refused. */
static void *send(void *arg)
{
	static struct percpu_csd rings[1024][RING];
	struct percpu_csd *ring = rings[(uintptr_t)arg];
	uint64_t accepted = 0;
	int err = 0;

	for (unsigned i = 0; i < RING; i++)
		percpu_csd_init(&ring[i], count_one, &ran);
	for (unsigned i = 0; err != -ESHUTDOWN; i++) {
		err = percpu_call_async(cpu_at(i), &ring[i % RING]);
		CHECK(err == 0 || err == -EBUSY || err == -ESHUTDOWN);
		accepted += err == 0;
		if (accepted == RING)
			raise_flag(&stopping);
	}
	return (void *)(uintptr_t)accepted;
}

/* The sum of what they return. */
static uint64_t run_all(unsigned n, void *(*fn)(void *), bool stop)
{
	pthread_t threads[1024];
	uint64_t sum = 0;
	void *ret;

	for (uintptr_t i = 0; i < n; i++)
		CHECK(pthread_create(&threads[i], NULL, fn, (void *)i) == 0);
	if (stop) {
		wait_for(&stopping);
		CHECK(percpu_call_stop() == 0);
	}
	for (unsigned i = 0; i < n; i++) {
		CHECK(pthread_join(threads[i], &ret) == 0);
		sum += (uintptr_t)ret;
	}
	return sum;
}

int main(int argc, char **argv)
{
	unsigned n = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
	uint64_t accepted;

	alarm(SECONDS);
	CHECK(n > 0 && n <= 1024);
	calls = strtoull(argv[2], NULL, 10);
	find_cpus();
	run_all(n, call_and_rest, false);
	accepted = run_all(n, send, true);
	CHECK_EQ(ran, accepted);
	CHECK(percpu_call(cpu_at(0), count_one, &ran) == -ESHUTDOWN);
	CHECK_EQ(ran, accepted);
	return TEST_PASS;
}

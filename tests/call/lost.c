/* SPDX-License-Identifier: MIT */
/*
 * A worker that was taken off its CPU: the function runs, and the caller is
 * told, -ESTALE; it is bound again when the CPUs are looked at; one whose CPU
 * is gone runs what it has, ends, and is made anew when the CPU is back.
 *
 * What the system does to a worker is done here by the test: another program's
 * sched_setaffinity, and a system that refuses to bind.
 */
#include "offline.h"
#include "support.h"

#include "../../src/call.h"

enum { SECONDS = 60 };

static void tell_id(void *arg)
{
	*(pid_t *)arg = gettid();
}

static void check_moved(unsigned home, unsigned other)
{
	uint64_t n = 0;
	pid_t worker = 0;

	CHECK(percpu_call(home, tell_id, &worker) == 0);
	CHECK(__real_percpu__os_bind(worker, other) == 0);
	CHECK(percpu_call(home, count_one, &n) == -ESTALE);
	CHECK_EQ(n, 1);
	CHECK(percpu_call_many(&(cpu_set_t){ { 1ul << home } },
			       sizeof(cpu_set_t), count_one, &n, 0) == -ESTALE);
	CHECK_EQ(n, 2);
	percpu__call_refresh();
	CHECK(percpu_call(home, count_one, &n) == 0);
	CHECK_EQ(n, 3);
}

/* It moves while the function runs. */
static void move_self(void *arg)
{
	CHECK(__real_percpu__os_bind(0, *(unsigned *)arg) == 0);
}

static void check_moved_within(unsigned home, unsigned other)
{
	CHECK(percpu_call(home, move_self, &other) == -ESTALE);
	/* It began elsewhere, though it ended where it should be. */
	CHECK(percpu_call(home, move_self, &home) == -ESTALE);
	CHECK(percpu_call(home, do_nothing, NULL) == 0);
	CHECK(percpu_call(home, move_self, &other) == -ESTALE);
	percpu__call_refresh();
	CHECK(percpu_call(home, do_nothing, NULL) == 0);
}

/* The CPU goes while its worker is busy: what is queued runs, no more comes. */
static void check_gone(unsigned home)
{
	struct percpu_csd first;
	struct percpu_csd second;
	pid_t before = 0;
	pid_t after = 0;
	uint64_t n = 0;

	running = go_on = false;
	CHECK(percpu_call(home, tell_id, &before) == 0);
	percpu_csd_init(&first, hold, NULL);
	percpu_csd_init(&second, count_one, &n);
	CHECK(percpu_call_async(home, &first) == 0);
	wait_for(&running);
	CHECK(percpu_call_async(home, &second) == 0);
	off_line = home;
	percpu__call_refresh();
	percpu__call_refresh();
	raise_flag(&go_on);
	while (percpu_call(home, do_nothing, NULL) != -ENXIO)
		usleep(100);
	while (__atomic_load_n(&n, __ATOMIC_RELAXED) == 0)
		usleep(100);
	CHECK(percpu_call_async(home, &second) == -ENXIO);
	off_line = UINT32_MAX;
	percpu__call_refresh();
	/* Until the old one has ended. */
	while (percpu_call(home, tell_id, &after) == -ENXIO)
		usleep(100);
	CHECK(after != 0 && after != before);
	CHECK(percpu_call_async(home, &second) == 0);
	CHECK(percpu_call(home, do_nothing, NULL) == 0);
	CHECK_EQ(n, 2);
}

static bool ended;

static void *call_all(void *arg)
{
	uint64_t ran = 0;
	uint64_t accepted = 0;
	struct percpu_csd csd;

	percpu_csd_init(&csd, count_one, &ran);
	for (unsigned i = 0; !__atomic_load_n(&ended, __ATOMIC_RELAXED); i++) {
		int err = percpu_call(cpu_at(i), count_one, &ran);

		CHECK(err == 0 || err == -ENXIO || err == -ESTALE);
		accepted += err != -ENXIO;
		err = percpu_call_async(cpu_at(i), &csd);
		CHECK(err == 0 || err == -ENXIO || err == -EBUSY);
		accepted += err == 0;
	}
	while (__atomic_load_n(&ran, __ATOMIC_RELAXED) != accepted)
		usleep(100);
	return arg;
}

/* CPUs come and go under a storm of calls: each accepted one runs. */
static void check_storm(void)
{
	pthread_t threads[3];

	for (unsigned i = 0; i < 3; i++)
		CHECK(pthread_create(&threads[i], NULL, call_all, NULL) == 0);
	for (unsigned i = 0; i < 100; i++) {
		__atomic_store_n(&off_line, i % 3 ? cpu_at(i) : UINT32_MAX,
				 __ATOMIC_RELAXED);
		percpu__call_refresh();
		usleep(1000);
	}
	__atomic_store_n(&off_line, UINT32_MAX, __ATOMIC_RELAXED);
	percpu__call_refresh();
	__atomic_store_n(&ended, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 3; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void)
{
	alarm(SECONDS);
	find_cpus();
	check_gone(cpu_at(0));
	if (nr_cpus > 1) {
		check_moved(cpu_at(0), cpu_at(1));
		check_moved_within(cpu_at(1), cpu_at(0));
	}
	check_storm();
	CHECK(percpu_call_stop() == 0);
	return TEST_PASS;
}

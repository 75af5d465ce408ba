/* SPDX-License-Identifier: MIT */
/*
 * A writer is alone: two words that it changes one after the other are the same
 * to every reader and the next writer, whatever threads, their moves from CPU
 * to CPU and signals do; and locks that are unlocked on another CPU add up.
 *
 * usage: exclusion [racy]     racy: without the lock, where it must not hold
 */
#include "check.h"
#include "disturb.h"
#include "random.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 30, READERS = 4, WRITERS = 2, READS = 150000, WRITES = 1200 };

static struct percpu_rwlock lock;
static uint64_t PERCPU *signals;
static volatile uint64_t first, second;
static bool racy;
static uint64_t wrong;

static void on_signal(int sig)
{
	(void)sig;
	percpu_inc(signals);
	if (!racy && percpu_rwlock_read_trylock(&lock)) {
		if (first != second)
			_exit(TEST_FAIL);
		percpu_rwlock_read_unlock(&lock);
	}
}

static void look(void)
{
	if (first == second)
		return;
	if (!racy)
		FAIL("somebody writes");
	__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void *read_all(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)arg;
	timer_t timer = disturb_by_signals();

	for (int i = 0; i < READS; i++) {
		if (!racy)
			percpu_rwlock_read_lock(&lock);
		look();
		if (one_in(&seed, 200))
			disturb_by_move(pick(&seed, 64));
		look();
		if (!racy)
			percpu_rwlock_read_unlock(&lock);
	}
	CHECK(timer_delete(timer) == 0);
	return NULL;
}

static void *write_all(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)arg;

	for (int i = 0; i < WRITES; i++) {
		if (!racy)
			CHECK(percpu_rwlock_write_lock(&lock) == 0);
		look();
		first = first + 1;
		if (one_in(&seed, 4))
			disturb_by_move(pick(&seed, 64));
		else
			sched_yield();
		second = second + 1;
		if (!racy)
			percpu_rwlock_write_unlock(&lock);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[READERS + WRITERS];

	for (uintptr_t i = 0; i < READERS + WRITERS; i++)
		CHECK(pthread_create(&threads[i], NULL,
				     i < READERS ? read_all : write_all,
				     (void *)(i + 1)) == 0);
	for (unsigned i = 0; i < READERS + WRITERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };

	alarm(SECONDS); /* a lock that is never free */
	racy = argc > 1 && strcmp(argv[1], "racy") == 0;
	signals = percpu_new(uint64_t);
	CHECK(signals != NULL && percpu_rwlock_init(&lock) == 0);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	for (int i = 0; i < 1000 && (i == 0 || (racy && wrong == 0)); i++)
		run_threads();
	CHECK((wrong != 0) == racy);
	if (!racy) {
		CHECK_EQ(first, WRITERS * WRITES);
		CHECK_EQ(second, WRITERS * WRITES);
	}
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	percpu_rwlock_write_unlock(&lock);
	percpu_rwlock_destroy(&lock);
	return TEST_PASS;
}

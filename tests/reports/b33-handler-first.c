/* SPDX-License-Identifier: MIT */
/*
 * b33-handler-first.c: a thread's first use may be in a signal handler.
 *
 * Report: DataDog/java-profiler 314, pbrt-v3 85. A handler's first use of a
 * thread's state allocated, and the thread was inside malloc. Here a handler
 * adds at 10 kHz while the program adds, allocates and makes new threads, which
 * run the handler before anything else.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NEW_THREADS = 400, HANDLED_MIN = 2000, PERIOD_NS = 100000 };

static uint64_t PERCPU *count;
static uint64_t handled; /* by all handlers */
static uint64_t added;	 /* by all threads, outside of handlers */

static __thread volatile unsigned handled_here;

static void on_profile(int nr)
{
	(void)nr;
	percpu_inc(count);
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
	handled_here++;
}

static void *new_thread(void *arg)
{
	(void)arg;
	while (handled_here == 0)
		;
	percpu_inc(count);
	return NULL;
}

static void allocate(unsigned n)
{
	void *p = malloc(n % 5000 + 1);
	uint16_t PERCPU *h = percpu_new(uint16_t);

	CHECK(p != NULL && h != NULL);
	memset(p, 1, n % 5000 + 1);
	percpu_add(h, n);
	CHECK_EQ(percpu_sum(h), (uint16_t)n);
	percpu_free(h);
	free(p);
}

static void start_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGPROF };
	struct itimerspec period = { .it_interval.tv_nsec = PERIOD_NS,
				     .it_value.tv_nsec = PERIOD_NS };
	timer_t timer;

	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &period, NULL) == 0);
}

static void make_thread(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, new_thread, NULL) == 0);
	pthread_kill(thread, SIGPROF);
	pthread_join(thread, NULL);
	added++;
}

static void work(void)
{
	for (unsigned i = 0; i < 1000; i++) {
		percpu_inc(count);
		added++;
		if (i % 16 == 0)
			allocate(i);
	}
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_profile,
				 .sa_flags = SA_RESTART };
	sigset_t profile;

	alarm(120); /* ends a program that hangs */
	count = percpu_new(uint64_t);
	CHECK(count != NULL);
	CHECK(sigaction(SIGPROF, &act, NULL) == 0);
	start_timer();
	for (unsigned i = 0; i < NEW_THREADS; i++) {
		make_thread();
		work();
	}
	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < HANDLED_MIN)
		work();
	sigemptyset(&profile);
	sigaddset(&profile, SIGPROF);
	sigprocmask(SIG_BLOCK, &profile, NULL);
	CHECK_EQ(percpu_sum(count), added + handled);
	return TEST_PASS;
}

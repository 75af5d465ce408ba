/* SPDX-License-Identifier: MIT */
/*
 * ends.c: a signal in a thread's last moments costs later threads nothing.
 *
 * For src/area_own.c. The signal comes between the moment when the thread's
 * area is no longer found and that when the kernel is told so: its handler adds
 * and cannot register.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <signal.h>

int __real_percpu__os_rseq(void *area, uint32_t len, int flags, uint32_t sig);
int __wrap_percpu__os_rseq(void *area, uint32_t len, int flags, uint32_t sig);

static uint64_t PERCPU *count;
static unsigned handled;

static void on_signal(int nr)
{
	(void)nr;
	percpu_inc(count);
	handled++;
}

int __wrap_percpu__os_rseq(void *area, uint32_t len, int flags, uint32_t sig)
{
	if (flags != 0)
		raise(SIGUSR1);
	return __real_percpu__os_rseq(area, len, flags, sig);
}

static void *work(void *arg)
{
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_RSEQ);
	percpu_inc(count);
	return arg;
}

int main(void)
{
	/* Nothing is blocked in the handler. */
	struct sigaction act = { .sa_handler = on_signal,
				 .sa_flags = SA_NODEFER };
	pthread_t thread;

	if (percpu_backend(NULL) != PERCPU_MODE_RSEQ)
		SKIP("no restartable sequences here");
	count = percpu_new(uint64_t);
	CHECK(count != NULL);
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	for (unsigned i = 0; i < 10; i++) {
		CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
		pthread_join(thread, NULL);
	}
	CHECK_EQ(handled, 10);
	CHECK_EQ(percpu_sum(count), 20);
	return TEST_PASS;
}

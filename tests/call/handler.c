/* SPDX-License-Identifier: MIT */
/*
 * Conformance 89: a signal handler that calls while its thread waits for a call
 * is refused, at once; calls that nobody waits for are accepted there.
 */
#include "support.h"

#include <signal.h>

enum { SECONDS = 60, SIGNALS = 2000 };

static pthread_t caller;
static bool handled;
static bool accepting;
static int seen;
static struct percpu_csd csd;
static uint64_t n;

static void handler(int sig)
{
	uint64_t ignored = 0;

	(void)sig;
	seen = percpu_call(cpu_at(0), count_one, &ignored);
	if (percpu_call_async(cpu_at(0), &csd) == 0)
		accepting = true;
	raise_flag(&handled);
}

/* The caller has fallen asleep some time before: it has looked 5 to 20 us. */
static void interrupt(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < SIGNALS; i++) {
		usleep(1000);
		__atomic_store_n(&handled, false, __ATOMIC_RELAXED);
		CHECK(pthread_kill(caller, SIGUSR1) == 0);
		/* The one CPU of a machine is the worker's, and it is here. */
		for (unsigned j = 0; j < 1000; j++) {
			if (__atomic_load_n(&handled, __ATOMIC_ACQUIRE))
				return;
			usleep(1000);
		}
	}
	FAIL("no handler ended");
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handler };

	alarm(SECONDS);
	find_cpus();
	percpu_csd_init(&csd, count_one, &n);
	CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
	caller = pthread_self();
	/* Interrupted before it sleeps, the handler's call waits its turn. */
	do
		CHECK(percpu_call(cpu_at(0), interrupt, NULL) == 0);
	while (seen == 0);
	CHECK(seen == -EDEADLK);
	CHECK(accepting);
	CHECK(percpu_call(cpu_at(0), do_nothing, NULL) == 0);
	CHECK(n > 0);
	return TEST_PASS;
}

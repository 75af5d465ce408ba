/* SPDX-License-Identifier: MIT */
/*
 * Conformance 91: a call whose worker is stuck is told of once, however often
 * its caller wakes meanwhile, and ends when the worker goes on, also where it
 * could not begin; one that is not stuck is never told of, and the clock is one
 * that nobody sets.
 */
#include "support.h"

#include "os.h"

#include <time.h>

enum { SECONDS = 60, LIMIT_MS = 100, WAKES = 3 };

__typeof__(percpu__os_bind) __real_percpu__os_bind;
__typeof__(percpu__os_bind) __wrap_percpu__os_bind;
__typeof__(percpu__os_wait) __real_percpu__os_wait;
__typeof__(percpu__os_wait) __wrap_percpu__os_wait;
__typeof__(clock_gettime) __real_clock_gettime;
__typeof__(clock_gettime) __wrap_clock_gettime;

static int pipe_ends[2];
static char text[1024];
static bool late; /* the next worker begins when that was told */

static pthread_t caller;
static unsigned waits; /* of the caller */

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	CHECK(clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC);
	return __real_clock_gettime(clock, t);
}

void __wrap_percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms)
{
	if (pthread_equal(pthread_self(), caller))
		__atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED);
	__real_percpu__os_wait(word, value, ms);
}

static size_t told(void)
{
	ssize_t len = read(pipe_ends[0], text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

/* Until it was told of, and the caller has had time to say so again. */
static void stay(void)
{
	unsigned before;

	CHECK(told() > 0);
	before = __atomic_load_n(&waits, __ATOMIC_RELAXED);
	while (__atomic_load_n(&waits, __ATOMIC_RELAXED) - before < WAKES)
		usleep(1000);
}

/* Something on that CPU lets nobody else run. */
int __wrap_percpu__os_bind(int id, unsigned cpu)
{
	if (late)
		stay();
	late = false;
	return __real_percpu__os_bind(id, cpu);
}

/* Ends when it was told of; whatever the clocks of the machine say. */
static void stick(void *arg)
{
	(void)arg;
	stay();
}

static void count_lines(void *arg)
{
	CHECK(write(pipe_ends[1], ".", 1) == 1);
	*(bool *)arg = told() == 1 && text[0] == '.';
}

static void check(unsigned cpu, percpu_fn *fn)
{
	bool silent = false;

	CHECK(percpu_call(cpu, fn, NULL) == 0);
	CHECK(strstr(text, "libpercpu: a call from CPU") == text);
	CHECK(strstr(text, "has waited 100 ms for CPU") != NULL);
	CHECK(percpu_call(cpu, count_lines, &silent) == 0);
	CHECK(silent);
}

int main(void)
{
	unsigned cpu = (unsigned)sched_getcpu();
	char limit[16];

	alarm(SECONDS);
	caller = pthread_self();
	snprintf(limit, sizeof(limit), "%d", LIMIT_MS);
	CHECK(setenv("PERCPU_CALL_TIMEOUT", limit, 1) == 0);
	CHECK(pipe(pipe_ends) == 0);
	CHECK(dup2(pipe_ends[1], STDERR_FILENO) >= 0);
	late = true;
	check(cpu, do_nothing);
	check(cpu, stick);
	return TEST_PASS;
}

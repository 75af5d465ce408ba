/* SPDX-License-Identifier: MIT */
/*
 * All at once: calls of every kind, within one another, from threads and from
 * signal handlers, while CPUs come and go, and forks in threads, in called
 * functions and in handlers, whose children do the same and stop. Each call
 * that was accepted has run once when that returns.
 */
#include "offline.h"
#include "support.h"

#include "random.h"

#include "../../src/call.h"

#include <signal.h>
#include <sys/wait.h>

enum { SECONDS = 100, CALLERS = 4, CSDS = 32, STEPS = 60, CHILD_ACTS = 60 };

static struct percpu_csd csds[CSDS];
static pthread_t threads[CALLERS];
static uint64_t accepted;
static uint64_t ran;
static uint64_t seeds;
static bool ended;
static bool interrupted; /* this is the child of a handler that forked */

static void act(uint64_t *seed);

static void run(void *arg)
{
	(void)arg;
	count_one(&ran);
}

static void run_and_act(void *arg)
{
	uint64_t seed = (uintptr_t)arg;

	count_one(&ran);
	act(&seed);
}

static void tally(int err)
{
	CHECK(err >= 0 || err == -ENXIO || err == -EDEADLK || err == -EBUSY ||
	      err == -ESTALE || err == -ESHUTDOWN ||
	      (err == -ECANCELED && interrupted));
	if (err >= 0 || err == -ESTALE)
		count_one(&accepted);
}

static void call_each(void)
{
	uint64_t n = 0;

	/* Runs, though it answers an error of one CPU. */
	percpu_call_each(NULL, count_one, &n, 0);
	__atomic_fetch_add(&ran, n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&accepted, n, __ATOMIC_RELAXED);
}

static void act(uint64_t *seed)
{
	unsigned cpu = cpu_at(pick(seed, 64));
	void *arg = (void *)(uintptr_t)pick(seed, 1u << 30);
	cpu_set_t all;

	switch (pick(seed, 8)) {
	case 0:
		memset(&all, 0xff, sizeof(all));
		tally(percpu_call_any(&all, sizeof(all), run, NULL));
		break;
	case 1: call_each(); break;
	case 2:
	case 3: tally(percpu_call(cpu, run_and_act, arg)); break;
	case 4:
	case 5: tally(percpu_call_async(cpu, &csds[pick(seed, CSDS)])); break;
	default: tally(percpu_call(cpu, run, NULL)); break;
	}
}

static void act_and_exit(void)
{
	uint64_t seed = (uint64_t)getpid();

	for (unsigned i = 0; i < CHILD_ACTS; i++)
		act(&seed);
	CHECK(percpu_call_stop() == 0);
	/* What a handler interrupted may have been the parent's already. */
	CHECK(ran == accepted || (interrupted && ran + 1 == accepted));
	_exit(TEST_PASS);
}

/* In a child, before there is another thread. */
static void begin_anew(void)
{
	alarm(SECONDS);
	accepted = 0;
	ran = 0;
}

static void expect_pass(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static pid_t fork_and_act(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	begin_anew();
	act_and_exit();
	return 0;
}

static void fork_within(void *arg)
{
	*(pid_t *)arg = fork_and_act();
	count_one(&ran);
}

/* Its thread goes on in the child, with what it was about. */
static void fork_here(uint64_t seed)
{
	pid_t pid = fork();

	if (pid != 0) {
		expect_pass(pid);
		return;
	}
	begin_anew();
	interrupted = true;
	ended = true;
	for (unsigned i = pick(&seed, 2) * 10; i > 0; i--)
		act(&seed);
}

static void handler(int sig)
{
	uint64_t seed = __atomic_add_fetch(&seeds, 1, __ATOMIC_RELAXED);

	(void)sig;
	if (one_in(&seed, 3))
		fork_here(seed);
	else
		tally(percpu_call_async(cpu_at(pick(&seed, 64)),
					&csds[pick(&seed, CSDS)]));
}

static void *act_all(void *arg)
{
	uint64_t seed = (uintptr_t)arg;

	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED))
		act(&seed);
	if (interrupted)
		act_and_exit();
	return NULL;
}

static void step(uint64_t *seed)
{
	pid_t pid = 0;

	switch (pick(seed, 5)) {
	case 0:
		__atomic_store_n(&off_line, cpu_at(pick(seed, 64)),
				 __ATOMIC_RELAXED);
		percpu__call_refresh();
		break;
	case 1:
		__atomic_store_n(&off_line, UINT32_MAX, __ATOMIC_RELAXED);
		percpu__call_refresh();
		break;
	case 2: expect_pass(fork_and_act()); break;
	case 3:
		tally(percpu_call(cpu_at(0), fork_within, &pid));
		if (pid > 0)
			expect_pass(pid);
		break;
	default:
		CHECK(pthread_kill(threads[pick(seed, CALLERS)], SIGUSR1) == 0);
	}
	usleep(pick(seed, 1000));
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	uint64_t seed = 1;

	alarm(SECONDS);
	find_cpus();
	for (uintptr_t i = 0; i < CSDS; i++)
		percpu_csd_init(&csds[i], i % 3 ? run : run_and_act, (void *)i);
	CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
	for (uintptr_t i = 0; i < CALLERS; i++)
		CHECK(pthread_create(&threads[i], NULL, act_all, (void *)i) ==
		      0);
	for (unsigned i = 0; i < STEPS; i++)
		step(&seed);
	__atomic_store_n(&ended, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < CALLERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(percpu_call_stop() == 0);
	CHECK_EQ(ran, accepted);
	return TEST_PASS;
}

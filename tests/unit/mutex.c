/* SPDX-License-Identifier: MIT */
/*
 * A lock that was held at a fork, or that an ancestor was about to make free,
 * is free in the child, and one thread there is told that it is the first.
 */
#include "mutex.h"

#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

/* As mutex.c has it: somebody makes the lock free. */
enum { JOINING = 1, THREADS = 4, SECONDS = 20 };

static struct percpu__mutex m;
static unsigned firsts, takes;
static bool started;

static void *take(void *arg)
{
	__atomic_store_n(&started, true, __ATOMIC_RELEASE);
	if (percpu__mutex_take(&m))
		__atomic_fetch_add(&firsts, 1, __ATOMIC_RELAXED);
	takes++;
	percpu__mutex_drop(&m);
	return arg;
}

static void use(void)
{
	pthread_t threads[THREADS];

	firsts = 0;
	takes = 0;
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, take, NULL) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK_EQ(takes, THREADS);
}

static void in_child(void (*then)(void))
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(SECONDS); /* one that waits for ever */
		then();
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static void is_first(void)
{
	use();
	CHECK_EQ(firsts, 1);
	use();
	CHECK_EQ(firsts, 0);
}

/* A thread of this process makes the lock free, and never ends that. */
static void be_joining(void)
{
	m.family = percpu__mutex_family() | JOINING;
}

static void joins_and_forks(void)
{
	be_joining();
	in_child(is_first);
}

static void forks_and_takes(void)
{
	in_child(is_first);
	is_first();
}

/* One that comes while the first makes the lock free is not first as well. */
static void check_waits(void)
{
	pthread_t thread;

	be_joining();
	firsts = 0;
	started = false;
	CHECK(pthread_create(&thread, NULL, take, NULL) == 0);
	while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		sched_yield();
	for (unsigned i = 0; i < 100; i++)
		sched_yield();
	__atomic_store_n(&m.word, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&m.family, percpu__mutex_family(), __ATOMIC_RELEASE);
	percpu__mutex_drop(&m);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK_EQ(firsts, 0);
}

int main(void)
{
	alarm(3 * SECONDS);
	CHECK(percpu__mutex_start() == 0);
	percpu__mutex_init(&m);
	use();
	CHECK_EQ(firsts, 0);
	check_waits();
	joins_and_forks();
	percpu__mutex_init(&m);
	CHECK(!percpu__mutex_take(&m));
	in_child(is_first);
	in_child(forks_and_takes);
	in_child(joins_and_forks);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Gets from a cache that is found empty cost one fence in all, and no lock,
 * until a put: what was put then is there for the next, whoever looks meanwhile
 * and on whichever CPU, and in a child of fork.
 */
#include "backing.h"
#include "cpus.h"
#include "disturb.h"
#include "os.h"
#include "random.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GETS = 100, ROUNDS = 3000, LOW = 5, ITEM = 7 };

enum turn { PUT, GET, STOP };

__typeof__(percpu__os_membarrier) __wrap_percpu__os_membarrier;
__typeof__(percpu__os_membarrier) __real_percpu__os_membarrier;

static unsigned fences;
static struct percpu_cache *c;
static int turn;

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	__atomic_fetch_add(&fences, 1, __ATOMIC_RELAXED);
	return __real_percpu__os_membarrier(cmd, flags, cpu);
}

static void get_in_vain(unsigned n)
{
	uint64_t got = 5;

	for (unsigned i = 0; i < n; i++) {
		CHECK(percpu_cache_get(c, &got) == -ENOENT);
		CHECK(percpu_cache_get_limit(c, UINT64_MAX, &got) == -ENOENT);
	}
	CHECK_EQ(got, 5);
}

/* With or without a backing, which has nothing. */
static void check_fences(struct percpu_cache_attr attr)
{
	uint64_t got = 0;
	bool any;

	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	any = has_magazines(c);
	for (unsigned i = 0; i < 5; i++) {
		fences = 0;
		get_in_vain(GETS);
		CHECK_EQ(fences, any ? 1 : 0);
		CHECK_EQ(percpu_cache_drain(c), 0);
		percpu_cache_trim(c);
		get_in_vain(1);
		CHECK(percpu_cache_put(c, i) == 0);
		CHECK_EQ(fences, any ? 1 : 0);
		CHECK_EQ(stats_of(c).magazines, any ? 1 : 0);
		CHECK(percpu_cache_get(c, &got) == 0 && got == i);
	}
	percpu_cache_destroy(c);
}

/* What was dry at a fork is so in both, and each puts for itself. */
static void check_child(void)
{
	uint64_t got = 0;
	int status;
	pid_t pid;

	c = percpu_cache_create(NULL);
	CHECK(c != NULL);
	get_in_vain(1);
	pid = fork();
	CHECK(pid >= 0);
	get_in_vain(1);
	CHECK(percpu_cache_put(c, ITEM) == 0);
	CHECK(percpu_cache_get(c, &got) == 0 && got == ITEM);
	get_in_vain(1);
	if (pid == 0)
		_exit(TEST_PASS);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	percpu_cache_destroy(c);
}

static int wait_while(int was)
{
	int now;

	while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) == was)
		sched_yield();
	return now;
}

static void move(uint64_t *seed)
{
	if (one_in(seed, 2))
		go_to(allowed_cpu(pick(seed, 2)));
}

static void *get_all(void *arg)
{
	timer_t timer = disturb_by_signals();
	uint64_t seed = 3;
	uint64_t got;

	while (wait_while(PUT) != STOP) {
		move(&seed);
		CHECK(percpu_cache_get(c, &got) == 0 && got == ITEM);
		move(&seed);
		CHECK(percpu_cache_get(c, &got) == -ENOENT);
		__atomic_store_n(&turn, PUT, __ATOMIC_RELEASE);
	}
	CHECK(timer_delete(timer) == 0);
	return arg;
}

/* What is there is not low. */
static void *look(void *arg)
{
	uint64_t seed = 4;
	uint64_t got;

	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != STOP) {
		move(&seed);
		CHECK(percpu_cache_get_limit(c, LOW, &got) == -ENOENT);
	}
	return arg;
}

static void put_all(void)
{
	timer_t timer = disturb_by_signals();
	uint64_t seed = 5;

	for (unsigned i = 0; i < ROUNDS; i++) {
		move(&seed);
		CHECK(percpu_cache_put(c, ITEM) == 0);
		__atomic_store_n(&turn, GET, __ATOMIC_RELEASE);
		wait_while(GET);
	}
	__atomic_store_n(&turn, STOP, __ATOMIC_RELEASE);
	CHECK(timer_delete(timer) == 0);
}

/* One puts, one gets, one only looks. */
static void check_threads(void)
{
	pthread_t threads[2];

	c = percpu_cache_create(NULL);
	CHECK(c != NULL);
	CHECK(pthread_create(&threads[0], NULL, get_all, NULL) == 0);
	CHECK(pthread_create(&threads[1], NULL, look, NULL) == 0);
	put_all();
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	percpu_cache_destroy(c);
}

static void on_signal(int sig)
{
	(void)sig;
	sched_yield();
}

int main(void)
{
	struct backing none = { .ids = 0 };
	struct percpu_cache_attr attr = { .arg = &none };
	struct sigaction sa = { .sa_handler = on_signal };

	check_fences(attr);
	attr.alloc = backing_alloc;
	check_fences(attr);
	check_child();
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	allowed_cpu(1);
	check_threads();
	return TEST_PASS;
}

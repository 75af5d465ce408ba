/* SPDX-License-Identifier: MIT */
/*
 * A child forked at any moment of refreshes of other threads may refresh, and
 * use and end what was refreshed.
 */
#include "cpus.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 100 };

static struct percpu_cache *c;
static bool stop;

static void *refresh(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		CHECK(percpu_cpus_refresh() == 0);
	return NULL;
}

/* The items go from CPU to CPU all the time. */
static void *move(void *arg)
{
	uint64_t item;

	(void)arg;
	for (unsigned n = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++) {
		go_to(allowed_cpu(n % 2));
		if (percpu_cache_get(c, &item) == 0)
			CHECK(percpu_cache_put(c, item) == 0);
	}
	return NULL;
}

static void child(void)
{
	uint64_t PERCPU *h;
	uint64_t item;

	alarm(20);
	CHECK(percpu_cpus_refresh() == 0);
	h = percpu_new(uint64_t);
	CHECK(h != NULL);
	percpu_free(h);
	CHECK(percpu_cache_put(c, 1000) == 0);
	CHECK(percpu_cache_get(c, &item) == 0);
	percpu_cache_destroy(c);
	_exit(TEST_PASS);
}

int main(void)
{
	struct percpu_cache_attr attr = { 0 };
	pthread_t threads[2];
	int status;

	allowed_cpu(1);
	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	for (uint64_t i = 0; i < 8; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	CHECK(pthread_create(&threads[0], NULL, refresh, NULL) == 0);
	CHECK(pthread_create(&threads[1], NULL, move, NULL) == 0);
	for (unsigned i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0)
			child();
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	percpu_cache_destroy(c);
	return TEST_PASS;
}

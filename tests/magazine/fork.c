/* SPDX-License-Identifier: MIT */
/*
 * A child of fork, made while other threads get, put and drain, uses the cache:
 * it gets no item twice, and puts and gets as before.
 */
#include "backing.h"
#include "cpus.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 60, SECONDS = 20 };

static struct percpu_cache *c;
static struct backing backing = { .ids = 700 };
static bool done;

static void *work(void *arg)
{
	uint64_t id[150];

	for (unsigned turn = (unsigned)(uintptr_t)arg;
	     !__atomic_load_n(&done, __ATOMIC_RELAXED); turn++) {
		unsigned n = 0;

		while (n < 150 && percpu_cache_get(c, &id[n]) == 0)
			n++;
		while (n > 0)
			CHECK(percpu_cache_put(c, id[--n]) == 0);
		if (turn % 8 == 0)
			percpu_cache_drain(c);
	}
	return NULL;
}

/* An item that was on its way at the fork may be missing, none may be twice. */
static void child(void)
{
	uint8_t seen[IDS] = { 0 };
	uint64_t id;
	unsigned n = 0;

	alarm(SECONDS);
	while (percpu_cache_get(c, &id) == 0) {
		CHECK(id < backing.ids && !seen[id]);
		seen[id] = 1;
		n++;
	}
	for (uint64_t i = 0; i < backing.ids; i++)
		if (seen[i])
			CHECK(percpu_cache_put(c, i) == 0);
	while (n-- > 0)
		CHECK(percpu_cache_get(c, &id) == 0);
	_exit(TEST_PASS);
}

int main(void)
{
	struct percpu_cache_attr attr = { 600, 20, backing_alloc, backing_free,
					  &backing };
	pthread_t threads[THREADS];
	int status;

	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
	for (unsigned i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0)
			child();
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	percpu_cache_drain(c);
	CHECK_EQ(backing.out, 0);
	percpu_cache_destroy(c);
	return TEST_PASS;
}

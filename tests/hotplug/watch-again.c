/* SPDX-License-Identifier: MIT */
/*
 * However often and by how many threads watchers are started and ended, they
 * leave no thread and no descriptor.
 */
#include "watched.h"

#include <pthread.h>

enum { ROUNDS = 100, THREADS = 4 };

static void *start_and_end(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		int err = percpu_cpus_watch(NULL, NULL);

		CHECK(err == 0 || err == -EBUSY);
		if (err == 0 || i % 4 == 0)
			CHECK(percpu_cpus_unwatch() == 0);
	}
	return arg;
}

int main(void)
{
	unsigned threads = threads_now();
	unsigned files = files_now();
	pthread_t callers[THREADS];

	alarm(60);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&callers[i], NULL, start_and_end, NULL) ==
		      0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(callers[i], NULL) == 0);
	CHECK(percpu_cpus_unwatch() == 0);
	wait_for_threads(threads);
	CHECK_EQ(files_now(), files);
	return TEST_PASS;
}

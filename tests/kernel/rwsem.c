/* SPDX-License-Identifier: MIT */
/*
 * Readers and writers of a percpu_rw_semaphore exclude each other.
 */
#include "check.h"

#include <percpu/kernel.h>

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 300 };

static struct percpu_rw_semaphore sem;
static int a, b; /* equal, but while a writer is at it */

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 10 == 0) {
			percpu_down_write(&sem);
			a++;
			b++;
			percpu_up_write(&sem);
		}
		if (i % 2 == 0 || !percpu_down_read_trylock(&sem))
			percpu_down_read(&sem);
		CHECK_EQ(a, b);
		percpu_up_read(&sem);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];

	CHECK_EQ(percpu_init_rwsem(&sem), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(a, THREADS * ROUNDS / 10);
	percpu_free_rwsem(&sem);
	return TEST_PASS;
}

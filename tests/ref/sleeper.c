/* SPDX-License-Identifier: MIT */
/*
 * sleeper.c: a kill does not wait for a thread that sleeps with a reference;
 * release runs when that thread wakes and puts.
 */
#include "support.h"

#include <semaphore.h>

static struct percpu_ref ref;
static sem_t asleep, wake;
static unsigned released;

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void *sleeper(void *arg)
{
	percpu_ref_get(&ref);
	sem_post(&asleep);
	while (sem_wait(&wake) != 0)
		;
	CHECK_EQ(released, 0);
	percpu_ref_put(&ref);
	return arg;
}

/* A kill that waited for the sleeper would never come to wake it. */
int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK_EQ(percpu_ref_init(&ref, release, ref_flags(argc, argv)), 0);
	CHECK(sem_init(&asleep, 0, 0) == 0 && sem_init(&wake, 0, 0) == 0);
	CHECK(pthread_create(&thread, NULL, sleeper, NULL) == 0);
	while (sem_wait(&asleep) != 0)
		;
	percpu_ref_kill(&ref);
	CHECK_EQ(released, 0);
	sem_post(&wake);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK_EQ(released, 1);
	CHECK_EQ(percpu_ref_exit(&ref), 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Readers and writers of a percpu_rw_semaphore exclude each other, of static
 * ones too, which are there before their constructors.
 */
#include "check.h"

#include <percpu/kernel.h>

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 300 };

DEFINE_PERCPU_RWSEM(everywhere);
DEFINE_STATIC_PERCPU_RWSEM(here);
static struct percpu_rw_semaphore *sem;
static int a, b; /* equal, but while a writer is at it */
static bool read_early;

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 10 == 0) {
			percpu_down_write(sem);
			a++;
			b++;
			percpu_up_write(sem);
		}
		if (i % 2 == 0 || !percpu_down_read_trylock(sem))
			percpu_down_read(sem);
		CHECK_EQ(a, b);
		percpu_up_read(sem);
	}
	return arg;
}

/* Before static locks have their slots: none is lost at the change. */
static void __attribute__((constructor(101))) early(void)
{
	percpu_down_read(&here);
	read_early = percpu_down_read_trylock(&everywhere);
	percpu_up_read(&here);
	percpu_up_read(&everywhere);
}

static void excludes(struct percpu_rw_semaphore *s)
{
	pthread_t threads[THREADS];

	sem = s;
	a = b = 0;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(a, THREADS * ROUNDS / 10);
}

/* Whether readers count on their CPUs, wherever that is done at all. */
static bool spread(const struct percpu_rw_semaphore *s,
		   const struct percpu_rw_semaphore *like)
{
	return s->lock.atomic == like->lock.atomic;
}

/* While nobody comes or goes the answers are right. */
static void tells(struct percpu_rw_semaphore *s)
{
	CHECK(!percpu_is_read_locked(s) && !percpu_is_write_locked(s));
	percpu_down_read(s);
	CHECK(percpu_is_read_locked(s) && !percpu_is_write_locked(s));
	percpu_rwsem_assert_held(s);
	percpu_up_read(s);
	percpu_down_write(s);
	CHECK(!percpu_is_read_locked(s) && percpu_is_write_locked(s));
	CHECK(percpu_rwsem_is_held(s));
	percpu_up_write(s);
	CHECK(!percpu_is_read_locked(s) && !percpu_is_write_locked(s));
}

int main(void)
{
	struct percpu_rw_semaphore made;

	CHECK(read_early);
	CHECK_EQ(percpu_init_rwsem(&made), 0);
	CHECK(spread(&here, &made) && spread(&everywhere, &made));
	tells(&made);
	tells(&here);
	excludes(&made);
	tells(&made);
	excludes(&here);
	excludes(&everywhere);
	percpu_free_rwsem(&made);
	return TEST_PASS;
}

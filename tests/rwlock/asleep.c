/* SPDX-License-Identifier: MIT */
/*
 * Who waits for the lock sleeps, is woken by whoever it waits for, and needs no
 * timer for that: a writer behind a reader that sleeps with the lock, which
 * other readers get meanwhile; readers, and a writer, behind a writer.
 */
#include "check.h"

#include "os.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { SECONDS = 10, TURNS = 50, READERS = 3, EVER_MS = 1000 * SECONDS };

__typeof__(percpu__os_wait) __wrap_percpu__os_wait;
__typeof__(percpu__os_wait) __real_percpu__os_wait;

static struct percpu_rwlock lock;
static unsigned sleepers;
static unsigned nr_in; /* guarded by the lock of the test */

/* The library looks again after some time; here, too late. */
void __wrap_percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms)
{
	CHECK(ms != 0);
	__atomic_fetch_add(&sleepers, 1, __ATOMIC_SEQ_CST);
	__real_percpu__os_wait(word, value, EVER_MS);
	__atomic_fetch_sub(&sleepers, 1, __ATOMIC_SEQ_CST);
}

static void *reader(void *arg)
{
	percpu_rwlock_read_lock(&lock);
	__atomic_fetch_add(&nr_in, 1, __ATOMIC_RELAXED);
	percpu_rwlock_read_unlock(&lock);
	return arg;
}

static void *writer(void *arg)
{
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	__atomic_fetch_add(&nr_in, 1, __ATOMIC_RELAXED);
	percpu_rwlock_write_unlock(&lock);
	return arg;
}

/* @n threads come while this one has the lock, and sleep until @unlock. */
static void check(void *(*first)(void *), void *(*rest)(void *), unsigned n,
		  void (*unlock)(struct percpu_rwlock *))
{
	pthread_t threads[READERS];

	nr_in = 0;
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_create(&threads[i], NULL, i == 0 ? first : rest,
				     NULL) == 0);
	while (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST) != n)
		sched_yield();
	CHECK_EQ(__atomic_load_n(&nr_in, __ATOMIC_RELAXED), 0);
	unlock(&lock);
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK_EQ(nr_in, n);
}

static void read_unlock(struct percpu_rwlock *l)
{
	percpu_rwlock_read_unlock(l);
}

/* A reader that sleeps with the lock keeps no reader away. */
static void check_behind_reader(void)
{
	pthread_t other;

	percpu_rwlock_read_lock(&lock);
	CHECK(pthread_create(&other, NULL, reader, NULL) == 0);
	CHECK(pthread_join(other, NULL) == 0);
	check(writer, writer, 1, read_unlock);
}

static void check_behind_writer(void *(*first)(void *), void *(*rest)(void *),
				unsigned n)
{
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	check(first, rest, n, percpu_rwlock_write_unlock);
}

int main(void)
{
	alarm(SECONDS); /* one that nobody wakes */
	CHECK(percpu_rwlock_init(&lock) == 0);
	for (unsigned i = 0; i < TURNS; i++) {
		check_behind_reader();
		check_behind_writer(reader, reader, READERS);
		check_behind_writer(writer, reader, READERS);
		check_behind_writer(writer, writer, READERS);
	}
	percpu_rwlock_destroy(&lock);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Readers that wait when a writer unlocks have the lock before the next writer;
 * a try fails while a writer has the lock or waits for it, and no other time;
 * a lock taken on one CPU and given back on another leaves the lock free.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { SECONDS = 60, READERS = 3, CROSSINGS = 2000 };

static struct percpu_rwlock lock;
static unsigned have_read;
static bool second_is_in;

/* As rwlock.c has it: readers that wait. */
static unsigned waiting(void)
{
	uint64_t word = __atomic_load_n(&lock.guarded.word, __ATOMIC_ACQUIRE);

	return (unsigned)(word >> 8 & 0xffffff);
}

static bool wanted(void)
{
	return (__atomic_load_n(&lock.guarded.word, __ATOMIC_ACQUIRE) & 2) != 0;
}

static void *reader(void *arg)
{
	percpu_rwlock_read_lock(&lock);
	CHECK(!__atomic_load_n(&second_is_in, __ATOMIC_SEQ_CST));
	__atomic_fetch_add(&have_read, 1, __ATOMIC_SEQ_CST);
	percpu_rwlock_read_unlock(&lock);
	return arg;
}

static void *other_writer(void *arg)
{
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	percpu_rwlock_write_unlock(&lock);
	return arg;
}

static void *writer(void *arg)
{
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	__atomic_store_n(&second_is_in, true, __ATOMIC_SEQ_CST);
	CHECK_EQ(__atomic_load_n(&have_read, __ATOMIC_SEQ_CST), READERS);
	percpu_rwlock_write_unlock(&lock);
	return arg;
}

/* Each reader that was let in counted once. */
static void check_nobody(void)
{
	uint64_t PERCPU *slots = (uint64_t PERCPU *)lock.guarded.handle;

	CHECK_EQ((uint32_t)((lock.guarded.word >> 32) + percpu_sum(slots)), 0);
}

/* Readers wait for this thread, and with them the @next writer, if any. */
static void check_let_in(void *(*next)(void *))
{
	pthread_t thread[READERS + 1];
	unsigned n = next != NULL ? READERS + 1 : READERS;

	have_read = 0;
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	if (next != NULL)
		CHECK(pthread_create(&thread[READERS], NULL, next, NULL) == 0);
	for (unsigned i = 0; i < READERS; i++)
		CHECK(pthread_create(&thread[i], NULL, reader, NULL) == 0);
	while (waiting() != READERS)
		sched_yield();
	percpu_rwlock_write_unlock(&lock);
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	check_nobody();
}

static void check_try(void)
{
	pthread_t thread;

	CHECK(percpu_rwlock_read_trylock(&lock));
	CHECK(percpu_rwlock_read_trylock(&lock));
	CHECK(pthread_create(&thread, NULL, other_writer, NULL) == 0);
	while (!wanted())
		sched_yield();
	CHECK(!percpu_rwlock_read_trylock(&lock));
	percpu_rwlock_read_unlock(&lock);
	CHECK(!percpu_rwlock_read_trylock(&lock));
	percpu_rwlock_read_unlock(&lock);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	CHECK(!percpu_rwlock_read_trylock(&lock));
	percpu_rwlock_write_unlock(&lock);
	CHECK(percpu_rwlock_read_trylock(&lock));
	percpu_rwlock_read_unlock(&lock);
}

/* To the next CPU that this thread may use. */
static void go_on(const cpu_set_t *all)
{
	static unsigned cpu;
	cpu_set_t set;

	do
		cpu = (cpu + 1) % CPU_SETSIZE;
	while (!CPU_ISSET(cpu, all));
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
}

static void check_crossings(void)
{
	cpu_set_t all;

	CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
	for (unsigned i = 0; i < CROSSINGS; i++) {
		percpu_rwlock_read_lock(&lock);
		go_on(&all);
		percpu_rwlock_read_unlock(&lock);
		if (i % 100 == 0) {
			CHECK(percpu_rwlock_write_lock(&lock) == 0);
			percpu_rwlock_write_unlock(&lock);
		}
	}
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	percpu_rwlock_write_unlock(&lock);
}

int main(void)
{
	alarm(SECONDS); /* a lock that is not free */
	CHECK(percpu_rwlock_init(&lock) == 0);
	check_try();
	check_let_in(NULL);
	check_let_in(writer);
	check_crossings();
	percpu_rwlock_destroy(&lock);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * A reader that waits for a writer gets the lock when the system refuses that
 * writer's fence, however many writers are refused before the reader looks.
 */
#include "check.h"
#include "intercept.h"

#include <errno.h>
#include <percpu/percpu.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SECONDS = 10 };

static struct percpu_rwlock lock;
static int listener = -1;
static unsigned nr_refused;
static bool caught;
static bool released;

/* As rwlock.c has it: readers that wait. */
static unsigned waiting(void)
{
	uint64_t word = __atomic_load_n(&lock.guarded.word, __ATOMIC_ACQUIRE);

	return (unsigned)(word >> 8 & 0xffffff);
}

static void wait_for(const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void on_usr1(int signal)
{
	(void)signal;
	__atomic_store_n(&caught, true, __ATOMIC_RELEASE);
	wait_for(&released);
}

static void *reader(void *arg)
{
	percpu_rwlock_read_lock(&lock);
	percpu_rwlock_read_unlock(&lock);
	return arg;
}

/* Only this thread's fences are refused, once somebody says so. */
static void *writer(void *arg)
{
	__atomic_store_n(&listener, intercept(__NR_membarrier),
			 __ATOMIC_RELEASE);
	for (unsigned i = 0; i < nr_refused; i++)
		CHECK(percpu_rwlock_write_lock(&lock) == -EOPNOTSUPP);
	return arg;
}

/* A reader that waits, and does not look until it is released. */
static pthread_t start_reader(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, reader, NULL) == 0);
	while (waiting() != 1)
		sched_yield();
	CHECK(pthread_kill(thread, SIGUSR1) == 0);
	wait_for(&caught);
	return thread;
}

static void check(unsigned refused)
{
	pthread_t threads[2];
	int fd;

	nr_refused = refused;
	listener = -1;
	caught = false;
	released = false;
	CHECK(pthread_create(&threads[0], NULL, writer, NULL) == 0);
	while ((fd = __atomic_load_n(&listener, __ATOMIC_ACQUIRE)) < 0)
		sched_yield();
	for (unsigned i = 0; i < refused; i++) {
		uint64_t call = intercepted(fd);

		if (i == 0)
			threads[1] = start_reader();
		answer(fd, call, -ENOSYS);
	}
	CHECK(pthread_join(threads[0], NULL) == 0);
	__atomic_store_n(&released, true, __ATOMIC_RELEASE);
	CHECK(pthread_join(threads[1], NULL) == 0);
	CHECK_EQ(waiting(), 0);
	CHECK(close(fd) == 0);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_usr1 };

	alarm(SECONDS); /* a reader that nobody lets in */
	CHECK(percpu_rwlock_init(&lock) == 0);
	if (percpu_fence() != 0 || percpu_backend(NULL) != PERCPU_MODE_RSEQ)
		SKIP("no lock here uses a fence");
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	for (unsigned refused = 1; refused <= 3; refused++)
		check(refused);
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	percpu_rwlock_write_unlock(&lock);
	percpu_rwlock_destroy(&lock);
	return TEST_PASS;
}

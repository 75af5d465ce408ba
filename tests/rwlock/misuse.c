/* SPDX-License-Identifier: MIT */
/*
 * misuse.c: a lock that is destroyed while somebody reads, used after that or
 * before it was made, unlocked by a writer who has not locked it, or by more
 * readers than have, is named, and ends the program; with PERCPU_MISUSE=warn it
 * goes on, and nobody waits for ever. To destroy one that was never made is no
 * mistake, as with references and counters.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct percpu_rwlock lock;

static void destroyed_while_read(void)
{
	percpu_rwlock_read_lock(&lock);
	percpu_rwlock_destroy(&lock);
	percpu_rwlock_read_unlock(&lock);
}

static void write_unlocked(void)
{
	percpu_rwlock_write_unlock(&lock);
	percpu_rwlock_read_lock(&lock);
	percpu_rwlock_read_unlock(&lock);
}

static void write_once(void)
{
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	CHECK(!percpu_rwlock_read_trylock(&lock));
	percpu_rwlock_write_unlock(&lock);
}

static void unlocked_twice(void)
{
	percpu_rwlock_read_lock(&lock);
	percpu_rwlock_read_unlock(&lock);
	percpu_rwlock_read_unlock(&lock);
	write_once();
	/* It is as it was in the beginning. */
	percpu_rwlock_read_lock(&lock);
	CHECK(percpu_rwlock_read_trylock(&lock));
	percpu_rwlock_read_unlock(&lock);
	percpu_rwlock_read_unlock(&lock);
	write_once();
	percpu_rwlock_destroy(&lock);
}

static void *write_in_thread(void *arg)
{
	write_once();
	return arg;
}

/* One of two readers that a writer waits for unlocks once too often. */
static void unlocked_under_writer(void)
{
	pthread_t writer;

	percpu_rwlock_read_lock(&lock);
	percpu_rwlock_read_lock(&lock);
	CHECK(pthread_create(&writer, NULL, write_in_thread, NULL) == 0);
	while (percpu_rwlock_read_trylock(&lock))
		percpu_rwlock_read_unlock(&lock);
	for (int i = 0; i < 3; i++)
		percpu_rwlock_read_unlock(&lock);
	CHECK(pthread_join(writer, NULL) == 0);
	write_once();
	percpu_rwlock_destroy(&lock);
}

/* A stray does not let in the writer that waits for this reader. */
static void unlocked_before_writer(void)
{
	pthread_t writer;

	percpu_rwlock_read_lock(&lock);
	CHECK(pthread_create(&writer, NULL, write_in_thread, NULL) == 0);
	while (percpu_rwlock_read_trylock(&lock))
		percpu_rwlock_read_unlock(&lock);
	percpu_rwlock_write_unlock(&lock);
	CHECK(!percpu_rwlock_read_trylock(&lock));
	percpu_rwlock_read_unlock(&lock);
	CHECK(pthread_join(writer, NULL) == 0);
	write_once();
	percpu_rwlock_destroy(&lock);
}

static void read_destroyed(void)
{
	percpu_rwlock_destroy(&lock);
	percpu_rwlock_destroy(&lock);
	percpu_rwlock_read_lock(&lock);
	percpu_rwlock_read_unlock(&lock);
}

static void tried_destroyed(void)
{
	percpu_rwlock_destroy(&lock);
	CHECK(!percpu_rwlock_read_trylock(&lock));
}

static void unlocked_destroyed(void)
{
	percpu_rwlock_destroy(&lock);
	percpu_rwlock_write_unlock(&lock);
	CHECK_EQ(percpu_rwlock_write_lock(&lock), -EINVAL);
}

static void write_zeros(void)
{
	static struct percpu_rwlock zeros;

	CHECK_EQ(percpu_rwlock_write_lock(&zeros), -EINVAL);
	percpu_rwlock_destroy(&zeros);
}

static void read_zeros(void)
{
	static struct percpu_rwlock zeros;

	percpu__rwlock_read_lock(&zeros);
	percpu__rwlock_read_unlock(&zeros);
}

static void destroyed_zeros(void)
{
	static struct percpu_rwlock zeros;

	percpu_rwlock_destroy(&zeros);
	percpu_rwlock_destroy(&zeros);
}

static void run(void (*mistake)(void), const char *warn, int signals)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		if (warn != NULL)
			setenv("PERCPU_MISUSE", warn, 1);
		CHECK(percpu_rwlock_init(&lock) == 0);
		mistake();
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	if (signals == 0)
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	else
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signals);
}

static void (*const mistakes[])(void) = { destroyed_while_read,
					  write_unlocked,
					  unlocked_twice,
					  unlocked_under_writer,
					  unlocked_before_writer,
					  read_destroyed,
					  tried_destroyed,
					  unlocked_destroyed,
					  write_zeros,
					  read_zeros };

int main(void)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		run(mistakes[i], NULL, SIGABRT);
		run(mistakes[i], "warn", 0);
	}
	run(destroyed_zeros, NULL, 0);
	return TEST_PASS;
}

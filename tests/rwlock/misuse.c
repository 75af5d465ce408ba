/* SPDX-License-Identifier: MIT */
/*
 * misuse.c: a lock that is destroyed while somebody reads, unlocked by a writer
 * who has not locked it, or by more readers than have, is named, and ends the
 * program; with PERCPU_MISUSE=warn it goes on, and nobody waits for ever.
 */
#include "check.h"

#include <percpu/percpu.h>
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

int main(void)
{
	run(destroyed_while_read, NULL, SIGABRT);
	run(destroyed_while_read, "warn", 0);
	run(write_unlocked, NULL, SIGABRT);
	run(write_unlocked, "warn", 0);
	run(unlocked_twice, NULL, SIGABRT);
	run(unlocked_twice, "warn", 0);
	run(unlocked_under_writer, NULL, SIGABRT);
	run(unlocked_under_writer, "warn", 0);
	return TEST_PASS;
}

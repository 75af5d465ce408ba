/* SPDX-License-Identifier: MIT */
/*
 * A child of fork uses locks that nobody had at the fork, and one that its own
 * thread had, to read or to write; one that another thread had is made anew.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60 };

static struct percpu_rwlock lock;
static struct percpu_rwlock of_another;

static void *hold(void *arg)
{
	CHECK(percpu_rwlock_write_lock(&of_another) == 0);
	return arg;
}

static void use(struct percpu_rwlock *l)
{
	percpu_rwlock_read_lock(l);
	percpu_rwlock_read_unlock(l);
	CHECK(percpu_rwlock_write_lock(l) == 0);
	CHECK(!percpu_rwlock_read_trylock(l));
	percpu_rwlock_write_unlock(l);
	CHECK(percpu_rwlock_read_trylock(l));
	percpu_rwlock_read_unlock(l);
}

static void in_child(void (*unlock)(struct percpu_rwlock *))
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(SECONDS);
		if (unlock != NULL)
			unlock(&lock);
		use(&lock);
		CHECK(percpu_rwlock_init(&of_another) == 0);
		use(&of_another);
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
}

static void read_unlock(struct percpu_rwlock *l)
{
	percpu_rwlock_read_unlock(l);
}

int main(void)
{
	pthread_t thread;

	CHECK(percpu_rwlock_init(&lock) == 0);
	CHECK(percpu_rwlock_init(&of_another) == 0);
	CHECK(pthread_create(&thread, NULL, hold, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	in_child(NULL);
	percpu_rwlock_read_lock(&lock);
	in_child(read_unlock);
	percpu_rwlock_read_unlock(&lock);
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	in_child(percpu_rwlock_write_unlock);
	percpu_rwlock_write_unlock(&lock);
	use(&lock);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * b28-fork.c: a child of fork kills, demotes and switches references, whatever other
 * threads were at when it was made.
 */
#include "support.h"

#include <sys/wait.h>

#define HOT 8u
#define FORKS 60u

static struct percpu_ref hot[HOT];
static struct percpu_ref switched[HOT];
static unsigned released;
static bool ended;

static void release(struct percpu_ref *r)
{
	(void)r;
	__atomic_fetch_add(&released, 1, __ATOMIC_RELAXED);
}

static void one_life(unsigned flags)
{
	struct percpu_ref r;

	CHECK_EQ(percpu_ref_init(&r, release, flags), 0);
	percpu_ref_get(&r);
	CHECK_EQ(percpu_ref_val(&r), 2);
	percpu_ref_put(&r);
	percpu_ref_kill(&r);
	CHECK_EQ(percpu_ref_exit(&r), 0);
}

static void *kills(void *arg)
{
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		one_life(0);
	return arg;
}

static void *looks(void *arg)
{
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
		for (unsigned i = 0; i < HOT; i++) {
			percpu_ref_get(&hot[i]);
			ref_promote(&hot[i]);
			percpu_ref_put(&hot[i]);
		}
		percpu__ref_adapt_settle();
		percpu__ref_adapt_settle();
	}
	return arg;
}

/* Of these, the owner's is the only one: nothing is lost with the thread. */
static void *switches(void *arg)
{
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		for (unsigned i = 0; i < HOT; i++) {
			percpu_ref_switch_to_atomic(&switched[i], NULL);
			percpu_ref_switch_to_percpu(&switched[i]);
		}
	return arg;
}

static void end_switched(void)
{
	for (unsigned i = 0; i < HOT; i++) {
		released = 0;
		CHECK_EQ(percpu_ref_val(&switched[i]), 1);
		if (i % 3 == 0)
			percpu_ref_switch_to_atomic(&switched[i], NULL);
		else if (i % 3 == 1)
			percpu_ref_switch_to_percpu(&switched[i]);
		percpu_ref_kill(&switched[i]);
		CHECK_EQ(released, 1);
		CHECK_EQ(percpu_ref_exit(&switched[i]), 0);
	}
}

/* References that a thread held which is not here remain. */
static void child(void)
{
	alarm(60);
	one_life(0);
	one_life(PERCPU_REF_ADAPTIVE);
	percpu__ref_adapt_settle();
	end_switched();
	for (unsigned i = 0; i < HOT; i++) {
		bool lost = percpu_ref_val(&hot[i]) != 1;

		released = 0;
		percpu_ref_kill(&hot[i]);
		percpu__ref_adapt_settle();
		CHECK_EQ(released, !lost);
	}
	_exit(TEST_PASS);
}

int main(void)
{
	pthread_t thread[3];

	for (unsigned i = 0; i < HOT; i++) {
		CHECK_EQ(percpu_ref_init(&hot[i], release, PERCPU_REF_ADAPTIVE),
			 0);
		CHECK_EQ(percpu_ref_init(&switched[i], release,
					 PERCPU_REF_ALLOW_REINIT),
			 0);
	}
	CHECK(pthread_create(&thread[0], NULL, kills, NULL) == 0);
	CHECK(pthread_create(&thread[1], NULL, looks, NULL) == 0);
	CHECK(pthread_create(&thread[2], NULL, switches, NULL) == 0);
	for (unsigned i = 0; i < FORKS; i++) {
		pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (pid == 0)
			child();
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK_EQ(status, 0);
	}
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 3; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	return TEST_PASS;
}

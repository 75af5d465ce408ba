/* SPDX-License-Identifier: MIT */
/*
 * In a child of fork sums are right, and after percpu_counter_tree_sync() reads
 * are, too, whatever other threads were at; the parent's stay right. So of
 * static trees that are getting their per-CPU parts.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 60 };

static struct percpu_counter_tree made;
static struct percpu_counter_tree zero[FORKS];
static struct percpu_counter_tree *tree = &made; /* that threads add to */
static int stop;

static void *work(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		percpu_counter_tree_add(
			__atomic_load_n(&tree, __ATOMIC_RELAXED), 5);
	return arg;
}

static void check_within(const struct percpu_counter_tree *t)
{
	int64_t off = percpu_counter_tree_read(t) - percpu_counter_tree_sum(t);

	CHECK(off <= percpu_counter_tree_error_bound(t));
	CHECK(-off <= percpu_counter_tree_error_bound(t));
}

static void check_child(struct percpu_counter_tree *t, int64_t before)
{
	int64_t sum = percpu_counter_tree_sum(t);

	CHECK(sum >= before && sum % 5 == 0);
	percpu_counter_tree_sync(t);
	CHECK(percpu_counter_tree_error_bound(t) != 0);
	CHECK(percpu_counter_tree_sum(t) == sum);
	check_within(t);
	percpu_counter_tree_add(t, 1);
	CHECK(percpu_counter_tree_sum(t) == sum + 1);
	percpu_counter_tree_destroy(t);
	_exit(TEST_PASS);
}

static void fork_once(struct percpu_counter_tree *t, int64_t before)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		check_child(t, before);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
}

int main(void)
{
	pthread_t thread[THREADS];

	CHECK(percpu_counter_tree_init(&made, 0, 2) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work, NULL) == 0);
	for (unsigned i = 0; i < FORKS; i++)
		fork_once(&made, percpu_counter_tree_sum(&made));
	for (unsigned i = 0; i < FORKS; i++) {
		__atomic_store_n(&tree, &zero[i], __ATOMIC_RELAXED);
		fork_once(&zero[i], 0);
		percpu_counter_tree_sum(&zero[i]); /* for some to be at hand */
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	check_within(&made);
	percpu_counter_tree_destroy(&made);
	for (unsigned i = 0; i < FORKS; i++) {
		CHECK(percpu_counter_tree_sum(&zero[i]) % 5 == 0);
		check_within(&zero[i]);
		percpu_counter_tree_destroy(&zero[i]);
	}
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * In a child of fork sums are right, and after percpu_counter_tree_sync() reads
 * are, too, whatever other threads were at; the parent's stay right.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 60 };

static struct percpu_counter_tree t;
static int stop;

static void *work(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		percpu_counter_tree_add(&t, 5);
	return arg;
}

static void check_within(void)
{
	int64_t off =
		percpu_counter_tree_read(&t) - percpu_counter_tree_sum(&t);

	CHECK(off <= percpu_counter_tree_error_bound(&t));
	CHECK(-off <= percpu_counter_tree_error_bound(&t));
}

static void fork_once(void)
{
	int64_t before = percpu_counter_tree_sum(&t);
	int status;
	pid_t child = fork();

	if (child == 0) {
		int64_t sum = percpu_counter_tree_sum(&t);

		CHECK(sum >= before && sum % 5 == 0);
		percpu_counter_tree_sync(&t);
		CHECK(percpu_counter_tree_sum(&t) == sum);
		check_within();
		percpu_counter_tree_add(&t, 1);
		CHECK(percpu_counter_tree_sum(&t) == sum + 1);
		percpu_counter_tree_destroy(&t);
		_exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
}

int main(void)
{
	pthread_t thread[THREADS];

	CHECK(percpu_counter_tree_init(&t, 0, 2) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work, NULL) == 0);
	for (unsigned i = 0; i < FORKS; i++)
		fork_once();
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	check_within();
	percpu_counter_tree_destroy(&t);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * B34: apache/brpc#1634, #3094: counters were torn down by exit() under threads
 * that still counted. Detached threads count in a counter, a tree and a static
 * one while main() returns, a thread's key and atexit() handlers and destructors
 * count as well; the last that looks finds no less than it knows of, and the
 * process ends with 0.
 *
 * usage: b34-counter TIMES
 */
#include "check.h"
#include "exits.h"

#include <percpu/percpu.h>

#include <unistd.h>

enum { THREADS = 3 };

static struct percpu_counter from_start = PERCPU_COUNTER_INITIALIZER(0);
static struct percpu_counter made;
static struct percpu_counter_tree tree;
static int64_t known; /* adds by count_and_look() */
static bool running;

static void count(void)
{
	percpu_counter_inc(&from_start);
	percpu_counter_inc(&made);
	percpu_counter_tree_inc(&tree);
}

/* What reads makes parts, and what exits late reads. */
static void count_and_look(void)
{
	if (!running)
		return;
	count();
	known++;
	if (percpu_counter_sum(&from_start) < known ||
	    percpu_counter_sum(&made) < known ||
	    percpu_counter_tree_sum(&tree) < known)
		_exit(TEST_FAIL);
}

static void __attribute__((destructor)) at_end(void)
{
	count_and_look();
}

static void at_thread_end(void *arg)
{
	(void)arg;
	count();
}

static void *count_for_ever(void *arg)
{
	pthread_setspecific(key, &key);
	count();
	sem_post(&under_way);
	for (;;)
		count();
	return arg;
}

static int run(void)
{
	pthread_t thread;

	CHECK(percpu_counter_init(&made, 0) == 0);
	CHECK(percpu_counter_tree_init(&tree, 0, 32) == 0);
	CHECK(pthread_key_create(&key, at_thread_end) == 0);
	CHECK(sem_init(&under_way, 0, 0) == 0);
	CHECK(atexit(count_and_look) == 0);
	running = true;
	for (unsigned i = 0; i < THREADS; i++) {
		CHECK(pthread_create(&thread, NULL,
				     i == 0 ? start_threads : count_for_ever,
				     NULL) == 0);
		CHECK(pthread_detach(thread) == 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(sem_wait(&under_way) == 0);
	return TEST_PASS;
}

int main(int argc, char **argv)
{
	char *child[] = { argv[0], NULL };

	if (argc == 1)
		return run();
	return run_again(child, atoi(argv[1]));
}

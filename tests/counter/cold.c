/* SPDX-License-Identifier: MIT */
/*
 * cold.c: the first use of the library is made by many threads at once, of
 * objects, counters, trees, references, caches and locks, and races with
 * nothing: ThreadSanitizer, for which all is compiled, is silent. Each trial is
 * a process, in which nothing is latched yet.
 *
 * ThreadSanitizer does not see sections, nor what order they make among those
 * who use what lay in one CPU's cache. So where there are sections, without an
 * argument, nobody writes to objects; "atomic" uses all, under that policy.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, TRIALS = 8 };

static pthread_barrier_t start;

static void released(struct percpu_ref *r)
{
	(void)r;
}

static void use_object(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	percpu_inc(h);
	CHECK_EQ(percpu_sum(h), 1);
}

static void use_counter(void)
{
	struct percpu_counter c = PERCPU_COUNTER_INITIALIZER(2);

	percpu_counter_inc(&c);
	CHECK_EQ(percpu_counter_sum(&c), 3);
}

static void use_tree(void)
{
	static struct percpu_counter_tree t =
		PERCPU_COUNTER_TREE_INITIALIZER(2, 32);

	percpu_counter_tree_inc(&t);
	CHECK(percpu_counter_tree_sum(&t) >= 3);
	CHECK(percpu_counter_tree_read(&t) >= 2);
}

static void use_ref(void)
{
	struct percpu_ref r;

	CHECK(percpu_ref_init(&r, released, PERCPU_REF_ALLOW_REINIT) == 0);
	percpu_ref_get(&r);
	percpu_ref_put(&r);
	percpu_ref_kill(&r);
	CHECK(percpu_ref_is_zero(&r));
}

static void use_cache(void)
{
	struct percpu_cache *c = percpu_cache_create(NULL);
	uint64_t item;

	CHECK(c != NULL && percpu_cache_put(c, 7) == 0);
	CHECK(percpu_cache_get(c, &item) == 0 && item == 7);
}

static void use_lock(void)
{
	struct percpu_rwlock l;

	CHECK(percpu_rwlock_init(&l) == 0);
	percpu_rwlock_read_lock(&l);
	percpu_rwlock_read_unlock(&l);
	CHECK(percpu_rwlock_write_lock(&l) == 0);
	percpu_rwlock_write_unlock(&l);
}

static void ask(void)
{
	CHECK(percpu_nr_slots() == percpu_nr_cpu_ids());
	CHECK(percpu_stride() != 0);
	CHECK(percpu_this_slot() <= percpu_nr_slots());
}

static void allocate(void)
{
	CHECK(percpu_alloc(8, 8) != NULL && percpu_alloc(1000, 8) != NULL);
}

static void (*const uses[])(void) = { allocate,	   ask,	     use_object,
				      use_counter, use_tree, use_ref,
				      use_cache,   use_lock };
static unsigned used = 2;

static void *begin(void *arg)
{
	unsigned first = (unsigned)(uintptr_t)arg;

	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < used; i++)
		uses[(first + i) % used]();
	return NULL;
}

/* Of trial @n; in every second one all begin alike. */
static void run(unsigned n)
{
	pthread_t thread[THREADS];

	CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, begin,
				     (void *)((n & 1) == 0 ? i : n / 2)) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		used = sizeof(uses) / sizeof(*uses);
		CHECK(setenv("PERCPU_BACKEND", argv[1], 1) == 0);
	}
	for (unsigned n = 0; n < TRIALS; n++) {
		int status;
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0) {
			run(n);
			exit(0);
		}
		CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
	return 0;
}

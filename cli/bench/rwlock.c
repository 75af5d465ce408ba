/* SPDX-License-Identifier: MIT */
/*
 * rwlock.c: the experiment rwlock: percpu_rwlock beside pthread_rwlock_t, for
 * readers; and what a writer pays, with nobody there.
 */
#include "ops.h"

#include <pthread.h>

static struct percpu_rwlock percpu;
static pthread_rwlock_t posix = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define EACH(name, lock, unlock)                                               \
	static void name(void *arg, unsigned thread, uint64_t ops)             \
	{                                                                      \
		(void)arg;                                                     \
		(void)thread;                                                  \
		for (; ops != 0; ops--) {                                      \
			lock;                                                  \
			unlock;                                                \
		}                                                              \
	}

EACH(read_percpu, percpu_rwlock_read_lock(&percpu),
     percpu_rwlock_read_unlock(&percpu))
EACH(read_posix, pthread_rwlock_rdlock(&posix), pthread_rwlock_unlock(&posix))
EACH(lock_mutex, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))
EACH(write_percpu, use((uint64_t)percpu_rwlock_write_lock(&percpu)),
     percpu_rwlock_write_unlock(&percpu))
EACH(write_posix, pthread_rwlock_wrlock(&posix), pthread_rwlock_unlock(&posix))

#define VARIANT(name, what, run)                                               \
	{                                                                      \
		name, what, run, NULL, NULL, 0, 0                              \
	}

static const struct variant readers[] = {
	VARIANT("percpu", "percpu_rwlock", read_percpu),
	{ "percpu_again", "the same, again", read_percpu, NULL, "percpu", 0,
	  0 },
	VARIANT("posix", "pthread_rwlock_t", read_posix),
	VARIANT("mutex", "pthread_mutex_t", lock_mutex),
};
static const struct ratio one_reader[] = {
	{ "posix_over_percpu", "posix", "percpu", GOAL_NONE, 0 },
};
static const struct ratio two_readers[] = {
	{ "posix_over_percpu", "posix", "percpu", GOAL_AT_LEAST, 10 },
	{ "mutex_over_percpu", "mutex", "percpu", GOAL_NONE, 0 },
};

static const struct variant writers[] = {
	VARIANT("percpu", "percpu_rwlock", write_percpu),
	{ "percpu_again", "the same, again", write_percpu, NULL, "percpu", 0,
	  0 },
	VARIANT("posix", "pthread_rwlock_t", write_posix),
};
static const struct ratio writer[] = {
	{ "writer_percpu_over_posix", "percpu", "posix", GOAL_NONE, 0 },
};

static const struct comparison comparisons[] = {
	{ "readers_1_thread", "read lock and unlock, 1 thread", "pair", 1,
	  readers, COUNT(readers), one_reader, COUNT(one_reader), 5e4, NULL,
	  false },
	{ "readers_2_threads", "read lock and unlock, 2 threads", "pair", 2,
	  readers, COUNT(readers), two_readers, COUNT(two_readers), 5e4, NULL,
	  false },
	{ "writer_1_thread", "write lock and unlock, 1 thread", "pair", 1,
	  writers, COUNT(writers), writer, COUNT(writer), 5e4, NULL, false },
};

static void run_default(const struct bench *b)
{
	bool made = percpu_rwlock_init(&percpu) == 0;

	compare_all(b, comparisons, COUNT(comparisons), made);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run_default },
};

const struct experiment experiment_rwlock = {
	.name = "rwlock",
	.what = "a lock that many read, beside pthread_rwlock_t",
	.story =
		"  A pair locks and unlocks. A writer fences: it is dear on "
		"purpose. Here it\n"
		"  is alone; beside other threads that run it takes some 10 us "
		"and more.\n",
	.short_ratio = "posix_over_percpu",
	.short_from = "readers_2_threads",
	.parts = parts,
	.nr_parts = COUNT(parts),
};

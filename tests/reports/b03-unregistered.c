/* SPDX-License-Identifier: MIT */
/*
 * b03-unregistered.c: a registration that somebody has undone is noticed.
 *
 * Report: checkpoint-restore/criu 1696 and 2096. After a restore the kernel no
 * longer kept a thread's area up to date, and its owner went on trusting it.
 *
 * usage: b03-unregistered late|first
 *   late   threads lose their registration in the middle of their work
 *   first  the first thread has lost it before the library is used at all;
 *          threads that have theirs use restartable sequences all the same
 */
#include "stress.h"
#include "unregister.h"

#include <string.h>

enum { THREADS = 8, BURSTS = 20000 };

static struct stress s;

static void unregister_midway(void)
{
	unregister();
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_SHARED);
}

static void late(void)
{
	stress_init(&s, THREADS, BURSTS);
	for (unsigned i = 0; i < THREADS / 2; i++) {
		s.worker[i].midway = unregister_midway;
		s.worker[i].place = STRESS_ANYWHERE;
	}
	stress_run(&s);
	stress_check(&s);
}

/* Half of the workers have a registration. */
static void *registered_thread(void *go)
{
	pthread_barrier_wait(go);
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_RSEQ);
	stress_init(&s, THREADS, BURSTS);
	for (unsigned i = 0; i < THREADS / 2; i++) {
		s.worker[i].first = unregister;
		s.worker[i].place = STRESS_SHARED;
		s.worker[i].watch = false;
	}
	stress_run(&s);
	stress_check(&s);
	return NULL;
}

static void first(void)
{
	pthread_barrier_t go;
	pthread_t thread;

	pthread_barrier_init(&go, NULL, 2);
	CHECK(pthread_create(&thread, NULL, registered_thread, &go) == 0);
	unregister();
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_SHARED);
	CHECK_EQ(percpu_this_slot(), percpu_nr_slots());
	pthread_barrier_wait(&go);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (strcmp(argv[1], "late") == 0)
		late();
	else
		first();
	return TEST_PASS;
}

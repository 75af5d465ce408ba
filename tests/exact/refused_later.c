/* SPDX-License-Identifier: MIT */
/*
 * refused_later.c: threads to which registration is refused add to the shared
 * slot, while others of the same process go on with restartable sequences.
 *
 * For C libraries that leave registration to this library; glibc that
 * registers ends the process if a thread's registration fails.
 */
#include "refuse.h"
#include "stress.h"

#include <errno.h>
#include <sys/syscall.h>

enum { THREADS = 8 };

static pthread_barrier_t prepared;
static pthread_barrier_t registered;

static void register_now(void)
{
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_RSEQ);
	pthread_barrier_wait(&registered);
}

static void be_refused(void)
{
	pthread_barrier_wait(&registered);
	refuse(__NR_rseq, EPERM);
}

static void prepare(struct stress *s)
{
	stress_init(s, THREADS, 20000);
	for (unsigned i = 0; i < THREADS; i++) {
		bool refused = i >= THREADS / 2;

		s->worker[i].first = refused ? be_refused : register_now;
		if (refused)
			s->worker[i].place = STRESS_SHARED;
	}
}

/* A thread that has no registration itself, which glibc would pass on. */
static void *unregistered_thread(void *s)
{
	pthread_barrier_wait(&prepared);
	stress_run(s);
	return NULL;
}

int main(void)
{
	static struct stress s;
	pthread_t thread;

	pthread_barrier_init(&prepared, NULL, 2);
	pthread_barrier_init(&registered, NULL, THREADS);
	CHECK(pthread_create(&thread, NULL, unregistered_thread, &s) == 0);
	if (percpu_backend(NULL) != PERCPU_MODE_RSEQ)
		SKIP("no restartable sequences here");
	prepare(&s);
	pthread_barrier_wait(&prepared);
	pthread_join(thread, NULL);
	stress_check(&s);
	return TEST_PASS;
}

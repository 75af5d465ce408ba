/* SPDX-License-Identifier: MIT */
/*
 * late.c: an area passes to another thread only once the kernel has let go
 * of it: a thread that lives on for a while after its area was given up does
 * not write into the area's next owner.
 *
 * For src/area_own.c. A later destructor of thread A stays on CPU 0, coming
 * back from the kernel again and again, while thread B, on another CPU, has
 * A's area.
 */
#include "check.h"

#include "../../../src/area.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_key_t late; /* made after the library's: destroyed after it */
static pthread_barrier_t given_up;
static pthread_barrier_t checked;
static int done;
static const void *area_of_a;

static void stay_on(unsigned cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		SKIP("CPU %u is not to be had", cpu);
}

static void doze(void)
{
	const struct timespec moment = { .tv_nsec = 1000 };

	nanosleep(&moment, NULL);
}

static void linger(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&given_up);
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		doze();
	pthread_barrier_wait(&checked);
}

static void *thread_a(void *arg)
{
	stay_on(0);
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_RSEQ);
	area_of_a = percpu__area();
	pthread_setspecific(late, arg);
	return NULL;
}

static void *thread_b(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&given_up);
	stay_on(1);
	CHECK_EQ(percpu_backend(NULL), PERCPU_MODE_RSEQ);
	CHECK(percpu__area() == area_of_a);
	for (unsigned i = 0; i < 500; i++) {
		for (unsigned k = 0; k < 1000; k++)
			CHECK_EQ(percpu_this_slot(), 1);
		doze();
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELAXED);
	pthread_barrier_wait(&checked);
	return NULL;
}

int main(void)
{
	pthread_t a;
	pthread_t b;

	if (percpu_backend(NULL) != PERCPU_MODE_RSEQ)
		SKIP("no restartable sequences here");
	pthread_barrier_init(&given_up, NULL, 2);
	pthread_barrier_init(&checked, NULL, 2);
	CHECK(pthread_key_create(&late, linger) == 0);
	CHECK(pthread_create(&a, NULL, thread_a, &late) == 0);
	CHECK(pthread_create(&b, NULL, thread_b, NULL) == 0);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return TEST_PASS;
}

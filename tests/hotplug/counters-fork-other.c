/* SPDX-License-Identifier: MIT */
/*
 * A child forked while another thread gives memory of CPUs back again and again
 * has the sums that there are, before and after it has done the same.
 */
#include "cpus.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 60, COUNTERS = 500, VALUE = 7 };

static struct percpu_counter c[COUNTERS];
static pthread_t first;
static bool stop;

static void check(void)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		CHECK_EQ(percpu_counter_sum(&c[i]), VALUE * i);
}

/* Both threads; what the other CPU has comes to this one. */
static void go_both(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(pthread_setaffinity_np(first, sizeof(set), &set) == 0);
	go_to(cpu);
	CHECK(percpu_cpus_refresh() == 0);
}

static void *move(void *arg)
{
	(void)arg;
	for (unsigned n = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++)
		go_both(allowed_cpu(n % 2));
	return NULL;
}

static void child(void)
{
	alarm(60);
	check();
	for (unsigned n = 0; n < 2; n++) {
		go_to(allowed_cpu(n));
		CHECK(percpu_cpus_refresh() == 0);
		check();
	}
	for (unsigned i = 0; i < COUNTERS; i++)
		percpu_counter_inc(&c[i]);
	percpu_counter_destroy_many(c, COUNTERS);
	_exit(TEST_PASS);
}

int main(void)
{
	pthread_t other;
	int status;

	allowed_cpu(1);
	first = pthread_self();
	CHECK(percpu_counter_init_many(c, 0, COUNTERS) == 0);
	for (unsigned i = 0; i < COUNTERS; i++)
		percpu_counter_add(&c[i], VALUE * i);
	CHECK(pthread_create(&other, NULL, move, NULL) == 0);
	for (unsigned i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0)
			child();
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
		check();
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	CHECK(pthread_join(other, NULL) == 0);
	percpu_counter_destroy_many(c, COUNTERS);
	return TEST_PASS;
}

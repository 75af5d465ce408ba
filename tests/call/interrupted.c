/* SPDX-License-Identifier: MIT */
/*
 * A signal handler that forks before its thread has sent its call: the call is
 * the child's too. It runs in both; a csd is in flight there until then.
 *
 * What the handler would do is done here by the test, at that place.
 */
#include "support.h"

#include <sys/wait.h>

enum { SECONDS = 60 };

int __real_percpu__os_cpu(void);
int __wrap_percpu__os_cpu(void);

static pthread_t caller;
static bool armed;
static bool kept;
static pid_t forked;

/*
 * A caller asks for it between its claim and the queue, a worker when it has
 * taken a call, before it gives the csd back.
 */
int __wrap_percpu__os_cpu(void)
{
	if (!pthread_equal(pthread_self(), caller)) {
		while (__atomic_load_n(&kept, __ATOMIC_RELAXED))
			usleep(100);
	} else if (armed) {
		armed = false;
		forked = fork();
		if (forked == 0)
			alarm(SECONDS);
	}
	return __real_percpu__os_cpu();
}

static void end(void)
{
	int status;

	if (forked == 0)
		_exit(TEST_PASS);
	CHECK(forked > 0);
	CHECK(waitpid(forked, &status, 0) == forked);
	CHECK_EQ(status, 0);
}

static void check_call(void)
{
	uint64_t n = 0;

	armed = true;
	CHECK(percpu_call(cpu_at(0), count_one, &n) == 0);
	CHECK(!armed);
	CHECK_EQ(n, 1);
	end();
}

static void check_many(void)
{
	uint64_t n = 0;

	armed = true;
	CHECK(percpu_call_each(NULL, count_one, &n, 0) == 0);
	CHECK(!armed);
	CHECK_EQ(n, nr_cpus);
	end();
}

static void check_async(void)
{
	struct percpu_csd csd;
	uint64_t n = 0;

	percpu_csd_init(&csd, count_one, &n);
	kept = true;
	armed = true;
	CHECK(percpu_call_async(cpu_at(0), &csd) == 0);
	CHECK(!armed);
	CHECK(percpu_call_async(cpu_at(0), &csd) == -EBUSY);
	__atomic_store_n(&kept, false, __ATOMIC_RELAXED);
	CHECK(percpu_call(cpu_at(0), do_nothing, NULL) == 0);
	CHECK_EQ(n, 1);
	end();
}

int main(void)
{
	alarm(SECONDS);
	caller = pthread_self();
	find_cpus();
	check_call();
	check_many();
	check_async();
	return TEST_PASS;
}

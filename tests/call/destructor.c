/* SPDX-License-Identifier: MIT */
/*
 * Destructors of a worker's thread variables, which run when it ends, may call;
 * their own CPU has none by then; and they may not stop. Nobody hangs for them.
 * One worker ends with its CPU, one by percpu_call_stop().
 */
#include "offline.h"
#include "support.h"

#include "../../src/call.h"

enum { SECONDS = 60, LINGER_US = 20000 };

static pthread_key_t key;
static struct percpu_csd csd;
static int refusal; /* of a call to a CPU that has none */
static bool ended;

static void destroy(void *arg)
{
	unsigned home = *(unsigned *)arg;

	/* Others find out meanwhile that the worker is about to end. */
	usleep(LINGER_US);
	CHECK(percpu_call_stop() == -EDEADLK);
	CHECK(percpu_call(home, do_nothing, NULL) == refusal);
	CHECK(percpu_call_async(home, &csd) == refusal);
	CHECK(percpu_call(UINT32_MAX, do_nothing, NULL) == refusal);
	if (nr_cpus > 1 && refusal == -ENXIO)
		CHECK(percpu_call(cpu_at(1), do_nothing, NULL) == 0);
	raise_flag(&ended);
}

static void use(void *arg)
{
	CHECK(pthread_setspecific(key, arg) == 0);
}

static void check_leave(unsigned home)
{
	ended = false;
	refusal = -ENXIO;
	CHECK(percpu_call(home, use, &home) == 0);
	off_line = home;
	percpu__call_refresh();
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
		int err = percpu_call(home, do_nothing, NULL);

		CHECK(err == -ENXIO || err == -ESTALE || err == 0);
	}
	off_line = UINT32_MAX;
	percpu__call_refresh();
	while (percpu_call(home, do_nothing, NULL) == -ENXIO)
		usleep(100);
}

static void check_stop(unsigned home)
{
	ended = false;
	refusal = -ESHUTDOWN;
	CHECK(percpu_call(home, use, &home) == 0);
	CHECK(percpu_call_stop() == 0);
	CHECK(ended);
}

int main(void)
{
	alarm(SECONDS);
	find_cpus();
	CHECK(pthread_key_create(&key, destroy) == 0);
	percpu_csd_init(&csd, do_nothing, NULL);
	check_leave(cpu_at(0));
	check_stop(cpu_at(0));
	return TEST_PASS;
}

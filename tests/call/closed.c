/* SPDX-License-Identifier: MIT */
/*
 * A worker that has been told to end runs what it was sent. A function there
 * that waits for another CPU sleeps meanwhile, though nobody calls it any more,
 * and runs those that wait behind it.
 */
#include "support.h"

enum { SECONDS = 60 };

static pid_t waiter;
static bool keeps;
static bool waits;
static uint64_t n;
static int err;

static bool asleep(pid_t id)
{
	char text[512] = "";
	FILE *file;
	const char *state;

	snprintf(text, sizeof(text), "/proc/self/task/%d/stat", id);
	file = fopen(text, "r");
	CHECK(file != NULL && fgets(text, sizeof(text), file) != NULL);
	CHECK(fclose(file) == 0);
	state = strrchr(text, ')');
	CHECK(state != NULL);
	return state[2] == 'S';
}

/* It keeps its worker until the other one sleeps in its call. */
static void keep(void *arg)
{
	(void)arg;
	raise_flag(&keeps);
	wait_for(&waits);
	while (!asleep(waiter))
		usleep(1000);
}

static void call_other(void *arg)
{
	(void)arg;
	waiter = gettid();
	raise_flag(&waits);
	err = percpu_call(cpu_at(1), count_one, &n);
}

static void *stop(void *arg)
{
	CHECK(percpu_call_stop() == 0);
	return arg;
}

int main(void)
{
	struct percpu_csd held;
	struct percpu_csd kept;
	struct percpu_csd calls;
	struct percpu_csd behind;
	pthread_t thread;

	alarm(SECONDS);
	find_cpus();
	if (nr_cpus < 2)
		SKIP("one CPU");
	percpu_csd_init(&held, hold, NULL);
	percpu_csd_init(&kept, keep, NULL);
	percpu_csd_init(&calls, call_other, NULL);
	percpu_csd_init(&behind, count_one, &n);
	CHECK(percpu_call_async(cpu_at(0), &held) == 0);
	wait_for(&running);
	CHECK(percpu_call_async(cpu_at(1), &kept) == 0);
	wait_for(&keeps);
	CHECK(percpu_call_async(cpu_at(0), &calls) == 0);
	CHECK(percpu_call_async(cpu_at(0), &behind) == 0);
	CHECK(pthread_create(&thread, NULL, stop, NULL) == 0);
	while (percpu_call(UINT32_MAX, do_nothing, NULL) != -ESHUTDOWN)
		usleep(100);
	raise_flag(&go_on);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(err == 0);
	CHECK_EQ(n, 2);
	return TEST_PASS;
}

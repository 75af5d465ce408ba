/* SPDX-License-Identifier: MIT */
/*
 * percpu_cache_destroy() gives every item to the backing, from all CPUs, also
 * those that the backing itself gets and puts meanwhile; in a child of fork,
 * too.
 */
#include "cpus.h"

#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 40, LAST = 500, EXTRA = 1000, ROUNDS = 5 };

static struct percpu_cache *c;
static unsigned cpu[2];
static unsigned given; /* items that the backing got */
static unsigned added; /* that it put itself */
static bool gets;      /* it takes one out before */
static uint64_t taken = UINT64_MAX;

static void take_one(void)
{
	CHECK(taken == UINT64_MAX);
	if (percpu_cache_get(c, &taken) == 0)
		given++;
	taken = UINT64_MAX;
}

/* While the last CPU's items come, the first one's magazine is used again. */
static void take_back(void *arg, uint64_t item)
{
	(void)arg;
	given++;
	if (item < LAST || item >= EXTRA || added == ROUNDS)
		return;
	go_to(cpu[0]);
	if (gets)
		take_one();
	CHECK(percpu_cache_put(c, EXTRA + item) == 0);
	added++;
}

static void make(void)
{
	struct percpu_cache_attr attr = { .free = take_back };

	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	given = 0;
	added = 0;
	for (unsigned i = 0; i < 2; i++) {
		go_to(cpu[i]);
		for (unsigned n = 0; n < ITEMS; n++)
			CHECK(percpu_cache_put(c, i * LAST + n) == 0);
	}
}

static void end(void)
{
	percpu_cache_destroy(c);
	CHECK_EQ(added, ROUNDS);
	CHECK_EQ(given, 2 * ITEMS + added);
}

int main(void)
{
	int status;
	pid_t child;

	cpu[0] = allowed_cpu(0);
	cpu[1] = allowed_cpu(1);
	for (unsigned i = 0; i < 2; i++) {
		gets = i == 1;
		make();
		child = fork();
		CHECK(child >= 0);
		end();
		if (child == 0)
			_exit(TEST_PASS);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
	return TEST_PASS;
}

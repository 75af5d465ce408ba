/* SPDX-License-Identifier: MIT */
/*
 * One watcher at a time: a second is refused, also in its function, which may
 * not wait for its own end. When unwatch returns, the function runs no more.
 */
#include "events.h"
#include "watched.h"

enum { ROUNDS = 100 };

static const char event[] = "online@/devices/system/cpu/cpu1";
static bool over;

static void within(void *arg)
{
	CHECK(!__atomic_load_n(&over, __ATOMIC_SEQ_CST));
	CHECK(percpu_cpus_watch(say, arg) == -EBUSY);
	CHECK(percpu_cpus_unwatch() == -EDEADLK);
	say(arg);
	CHECK(!__atomic_load_n(&over, __ATOMIC_SEQ_CST));
}

int main(void)
{
	alarm(20);
	CHECK(percpu_cpus_unwatch() == 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t before = said;

		over = false;
		CHECK(percpu_cpus_watch(within, NULL) == 0);
		CHECK(percpu_cpus_watch(say, NULL) == -EBUSY);
		tell(event);
		wait_until_said(before + 1);
		/* It may be in the middle of it, or not have begun. */
		tell(event);
		CHECK(percpu_cpus_unwatch() == 0);
		__atomic_store_n(&over, true, __ATOMIC_SEQ_CST);
		events_close();
	}
	return TEST_PASS;
}

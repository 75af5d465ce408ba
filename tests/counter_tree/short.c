/* SPDX-License-Identifier: MIT */
/*
 * Where memory for slots or nodes is short, init says so, leaves no object, and
 * destroy is harmless.
 */
#include "check.h"
#include "os.h"

#include <percpu/percpu.h>

#include <errno.h>

static unsigned left; /* calls that still succeed */

__typeof__(percpu__os_commit) __wrap_percpu__os_commit;
__typeof__(percpu__os_commit) __real_percpu__os_commit;

int __wrap_percpu__os_commit(void *p, size_t len)
{
	if (left == 0)
		return -ENOMEM;
	left--;
	return __real_percpu__os_commit(p, len);
}

static size_t live(void)
{
	struct percpu_alloc_stats stats;

	percpu_alloc_stats(&stats);
	return stats.live;
}

int main(void)
{
	struct percpu_counter_tree t;
	unsigned calls = 0;

	for (;; calls++) {
		left = calls;
		if (percpu_counter_tree_init(&t, 5, 32) == 0)
			break;
		CHECK(percpu_counter_tree_init(&t, 5, 32) == -ENOMEM);
		left = 100;
		CHECK_EQ(live(), 0);
		percpu_counter_tree_destroy(&t);
	}
	CHECK(calls >= 2);
	CHECK(percpu_counter_tree_read(&t) == 5);
	percpu_counter_tree_destroy(&t);
	CHECK_EQ(live(), 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Where memory for slots or nodes is short, init says so, of one tree or many,
 * leaves no object, and destroy is harmless.
 */
#include "check.h"
#include "live.h"
#include "os.h"

#include <percpu/percpu.h>

#include <errno.h>

enum { MANY = 300 }; /* more than the first arenas of nodes have */

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

/* All of @n or none, however many calls succeed; how many it takes. */
static unsigned try_all(struct percpu_counter_tree *t, size_t n)
{
	unsigned calls = 0;
	int err;

	for (;; calls++) {
		left = calls;
		err = percpu_counter_tree_init_many(t, 5, 32, n);
		if (err == 0)
			break;
		CHECK(err == -ENOMEM);
		left = 100;
		CHECK_EQ(live(), 0);
		for (size_t i = 0; i < n; i++)
			CHECK(t[i].nodes == NULL && t[i].inner == 0);
		percpu_counter_tree_destroy_many(t, n);
	}
	CHECK(percpu_counter_tree_read(&t[n - 1]) == 5);
	percpu_counter_tree_destroy_many(t, n);
	CHECK_EQ(live(), 0);
	return calls;
}

int main(void)
{
	static struct percpu_counter_tree t[MANY];

	CHECK(try_all(t, 1) >= 2);
	CHECK(try_all(t, MANY) >= 1);
	return TEST_PASS;
}

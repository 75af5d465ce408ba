/* SPDX-License-Identifier: MIT */
/*
 * A called function has the stack that is promised, whatever the program's
 * thread-local storage takes.
 */
#include "support.h"

enum { SECONDS = 60, USED = 224 << 10 };

static __thread volatile char storage[160 << 10];

static void use(void *arg)
{
	volatile char room[USED];

	/* Downwards, to where nobody may write. */
	for (size_t i = sizeof(room); i > 0; i -= 1024)
		room[i - 1] = 1;
	storage[sizeof(storage) - 1] = 1;
	*(unsigned *)arg += room[1023] == 1;
}

int main(void)
{
	unsigned n = 0;

	alarm(SECONDS);
	find_cpus();
	for (unsigned i = 0; i < nr_cpus; i++)
		CHECK(percpu_call(cpus[i], use, &n) == 0);
	CHECK_EQ(n, nr_cpus);
	return TEST_PASS;
}

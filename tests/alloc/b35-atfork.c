/* SPDX-License-Identifier: MIT */
/*
 * B35: where forks cannot be told of the lock, neither as the library is loaded
 * nor at the first allocation, that one is NULL and ENOMEM; the next one tells
 * them and works, and no later one does it again.
 */
#include "slots.h"

#include <pthread.h>

static unsigned calls;

int __real_pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void));
int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void));

int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void))
{
	if (++calls <= 2)
		return ENOMEM;
	return __real_pthread_atfork(prepare, parent, child);
}

int main(void)
{
	CHECK_EQ(calls, 1);
	errno = 0;
	CHECK(percpu_alloc(8, 8) == NULL);
	CHECK_EQ(errno, ENOMEM);
	CHECK_EQ(calls, 2);
	must_alloc(8, 8);
	must_alloc(8, 8);
	CHECK_EQ(calls, 3);
	return TEST_PASS;
}

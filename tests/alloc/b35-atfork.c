/* SPDX-License-Identifier: MIT */
/*
 * B35: where a child of fork could not be told from its parent, since neither
 * the kernel marks it nor a handler can be registered, the first allocation is
 * NULL and ENOMEM; the next one works, and no later one asks again.
 */
#include "slots.h"

#include "os.h"

#include <pthread.h>

static unsigned calls;

int __wrap_percpu__os_wipe_on_fork(void *p, size_t len);
int __real_pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void));
int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void));

int __wrap_percpu__os_wipe_on_fork(void *p, size_t len)
{
	(void)p;
	(void)len;
	return -EINVAL;
}

int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void))
{
	if (++calls <= 1)
		return ENOMEM;
	return __real_pthread_atfork(prepare, parent, child);
}

int main(void)
{
	CHECK_EQ(calls, 0);
	errno = 0;
	CHECK(percpu_alloc(8, 8) == NULL);
	CHECK_EQ(errno, ENOMEM);
	CHECK_EQ(calls, 1);
	must_alloc(8, 8);
	must_alloc(8, 8);
	CHECK_EQ(calls, 2);
	return TEST_PASS;
}

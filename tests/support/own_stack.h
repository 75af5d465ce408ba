/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_OWN_STACK_H
#define TESTS_SUPPORT_OWN_STACK_H
/*
 * own_stack.h: a thread on a stack that the test has mapped, and may unmap in a
 * child of fork, to which the thread does not come along.
 */
#include "check.h"

#include <pthread.h>
#include <sys/mman.h>

enum { OWN_STACK = 1 << 20 };

static void *own_stack; /* of OWN_STACK bytes */

static inline pthread_t own_stack_start(void *(*run)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	own_stack = mmap(NULL, OWN_STACK, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(own_stack != MAP_FAILED);
	CHECK(pthread_attr_init(&attr) == 0);
	CHECK(pthread_attr_setstack(&attr, own_stack, OWN_STACK) == 0);
	CHECK(pthread_create(&thread, &attr, run, NULL) == 0);
	return thread;
}

static inline void own_stack_unmap(void)
{
	CHECK(munmap(own_stack, OWN_STACK) == 0);
}

#endif

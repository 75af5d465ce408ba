/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_KEYS_H
#define TESTS_SUPPORT_KEYS_H
/*
 * keys.h: how many keys of threads' variables are left to the process.
 */
#include "check.h"

#include <limits.h>
#include <pthread.h>

static inline unsigned keys_left(void)
{
	static pthread_key_t key[PTHREAD_KEYS_MAX];
	unsigned n = 0;

	while (n < PTHREAD_KEYS_MAX && pthread_key_create(&key[n], NULL) == 0)
		n++;
	for (unsigned i = 0; i < n; i++)
		CHECK(pthread_key_delete(key[i]) == 0);
	return n;
}

#endif

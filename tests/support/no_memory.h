/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_NO_MEMORY_H
#define TESTS_SUPPORT_NO_MEMORY_H
/*
 * no_memory.h: no room for chunks until the test says so. Link with
 * -Wl,--wrap=percpu__os_reserve_aligned.
 */
#include "os.h"

#include <errno.h>
#include <stdbool.h>

static bool memory_is_there;

__typeof__(percpu__os_reserve_aligned) __wrap_percpu__os_reserve_aligned;
__typeof__(percpu__os_reserve_aligned) __real_percpu__os_reserve_aligned;

void *__wrap_percpu__os_reserve_aligned(size_t len, size_t align)
{
	if (memory_is_there)
		return __real_percpu__os_reserve_aligned(len, align);
	errno = ENOMEM;
	return NULL;
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CALL_OFFLINE_H
#define TESTS_CALL_OFFLINE_H
/*
 * offline.h: a CPU to which no worker can be bound. With percpu__os_bind
 * wrapped.
 */
#include <errno.h>
#include <stdint.h>

int __real_percpu__os_bind(int id, unsigned cpu);
int __wrap_percpu__os_bind(int id, unsigned cpu);

/* The CPU that is off line; none is UINT_MAX. */
static unsigned off_line = UINT32_MAX;

int __wrap_percpu__os_bind(int id, unsigned cpu)
{
	return cpu == __atomic_load_n(&off_line, __ATOMIC_RELAXED) ?
		       -EINVAL :
		       __real_percpu__os_bind(id, cpu);
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_WATCHED_H
#define TESTS_HOTPLUG_WATCHED_H
/*
 * watched.h: what a watcher says, and what it leaves.
 */
#include "../call/threads.h"
#include "check.h"

#include <errno.h>
#include <percpu/percpu.h>
#include <unistd.h>

static uint64_t said;

static inline void say(void *arg)
{
	(void)arg;
	__atomic_fetch_add(&said, 1, __ATOMIC_RELEASE);
}

static inline void wait_until_said(uint64_t n)
{
	while (__atomic_load_n(&said, __ATOMIC_ACQUIRE) < n)
		usleep(1000);
}

#endif

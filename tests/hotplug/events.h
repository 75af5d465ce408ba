/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_EVENTS_H
#define TESTS_HOTPLUG_EVENTS_H
/*
 * events.h: the kernel's events by the test instead, for programs linked with
 * --wrap=percpu__os_events_open.
 */
#include "check.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int __wrap_percpu__os_events_open(void);

static int events_in = -1; /* the watcher closes its own copy of the other */
static int events_out = -1;

int __wrap_percpu__os_events_open(void)
{
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
			 pair) == 0);
	events_in = pair[0];
	events_out = dup(pair[1]);
	CHECK(events_out >= 0);
	return pair[1];
}

static inline void events_close(void)
{
	CHECK(close(events_in) == 0 && close(events_out) == 0);
}

static inline void tell_bytes(const char *event, size_t len)
{
	CHECK(send(events_in, event, len, 0) == (ssize_t)len);
}

static inline void tell(const char *event)
{
	tell_bytes(event, strlen(event) + 1);
}

/* Until the watcher has taken all that it was told. */
static inline void wait_until_taken(void)
{
	struct pollfd p = { .fd = events_out, .events = POLLIN };

	while (poll(&p, 1, 0) != 0)
		usleep(100);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Without a thread, a descriptor or the affinity, watch says so, has left
 * nothing, and works the next time. Without the socket it looks by itself.
 */
#include "cpus.h"
#include "watched.h"

#include <pthread.h>

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a,
			  void *(*fn)(void *), void *arg);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *a,
			  void *(*fn)(void *), void *arg);
int __wrap_pthread_atfork(void (*before)(void), void (*parent)(void),
			  void (*child)(void));
int __real_pthread_atfork(void (*before)(void), void (*parent)(void),
			  void (*child)(void));
int __wrap_percpu__os_events_bell(void);
int __real_percpu__os_events_bell(void);
int __wrap_percpu__os_events_open(void);
int __wrap_percpu__hotplug_cpus_used(void *used, unsigned *online);
int __real_percpu__hotplug_cpus_used(void *used, unsigned *online);

enum { THREAD = 1, HANDLER, BELL, AFFINITY };

static int refused;

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a,
			  void *(*fn)(void *), void *arg)
{
	return refused == THREAD ? EAGAIN :
				   __real_pthread_create(t, a, fn, arg);
}

int __wrap_pthread_atfork(void (*before)(void), void (*parent)(void),
			  void (*child)(void))
{
	return refused == HANDLER ?
		       ENOMEM :
		       __real_pthread_atfork(before, parent, child);
}

int __wrap_percpu__os_events_bell(void)
{
	return refused == BELL ? -EMFILE : __real_percpu__os_events_bell();
}

int __wrap_percpu__os_events_open(void)
{
	return -EPERM;
}

int __wrap_percpu__hotplug_cpus_used(void *used, unsigned *online)
{
	return refused == AFFINITY ?
		       -EPERM :
		       __real_percpu__hotplug_cpus_used(used, online);
}

static void check(int what, int err)
{
	unsigned threads = threads_now();
	unsigned files = files_now();

	refused = what;
	CHECK(percpu_cpus_watch(say, NULL) == err);
	refused = 0;
	CHECK_EQ(threads_now(), threads);
	CHECK_EQ(files_now(), files);
	CHECK(percpu_cpus_unwatch() == 0);
	CHECK_EQ(said, 0);
}

int main(void)
{
	alarm(60);
	check(HANDLER, -ENOMEM);
	CHECK(percpu_cpus_refresh() == 0);
	check(HANDLER, -ENOMEM);
	check(BELL, -EMFILE);
	check(THREAD, -EAGAIN);
	check(AFFINITY, -EPERM);
	allowed_cpu(1);
	CHECK(percpu_cpus_watch(say, NULL) == 0);
	go_to(allowed_cpu(1));
	wait_until_said(1);
	CHECK(percpu_cpus_unwatch() == 0);
	return TEST_PASS;
}

/* SPDX-License-Identifier: MIT */
/*
 * watcher.c: a thread that refreshes when CPUs come or go.
 *
 *   kernel: "offline@/devices/system/cpu/cpu3" --+
 *   once a second: are the CPUs used others? ----+--> refresh, then fn(arg)
 *   unwatch: a bell, and an order to end
 *
 * 1. The socket is open before the CPUs are looked at for the first time, and
 *    before watch returns: what changes afterwards is heard or seen.
 * 2. What is heard is a reason to look, and nothing of it is believed. So lost
 *    events are as good as events, and a socket that the system refuses, or
 *    that hears nothing in a container, costs a second.
 * 3. A look compares with the watcher's last, not with the last refresh: the
 *    program may refresh as well, and fn is told all the same.
 * 4. A change is forgotten only when a refresh has worked: without memory it
 *    is tried again a second later.
 * 5. The watcher is in the process whose number (mutex.h) @watched is: a child
 *    of fork has another, so has no watcher, and may make its own. A handler
 *    closes the child's copies of the descriptors before anybody there can have
 *    closed them. If fn forks and returns in the child, its thread ends there.
 * 6. @watched and @self are stored by the watcher before watch returns and
 *    before fn is called for the first time. So fn is never taken for somebody
 *    who may wait for its end, and no refresh after a watch counts the watcher
 *    as one who uses CPUs.
 * 7. It keeps to CPUs that it has seen used: what a refresh brings back from
 *    gone CPUs comes to the CPU it runs on, and must not be left there again.
 *
 * A program may close descriptors that are not its own, and allow itself none.
 * Then what is read from them is an error or nobody's ring, and they are left
 * alone; the watcher looks once a second, and ends as late.
 *
 * The lock is held while the watcher ends, which waits for fn; so watch, which
 * fn may call, asks whether there is one before it takes the lock. It comes
 * before that of hotplug.c.
 *
 * Rejected: no thread, but a descriptor for the program's own loop. A change of
 * affinity or cpuset would not be at it, and who has a loop can call
 * percpu_cpus_refresh() in it by a timer.
 */
#include "annot.h"
#include "exit.h"
#include "hotplug.h"
#include "mutex.h"
#include "os.h"
#include "thread.h"

#include <errno.h>
#include <percpu/hotplug.h>
#include <signal.h>
#include <string.h>

#define LOOK_MS 1000u
#define EVENT_BYTES 4096u
#define FOR_EVER UINT32_MAX

enum { EVENTS, BELL };

/* Guards what is below while no watcher runs; @fds in a child are nobody's. */
static struct percpu__mutex lock;
static uint32_t watched;
static int self;
static pthread_t thread;
static int fds[2] = { -1, -1 };
static uint32_t stopped;

/* The watcher's alone, while there is one. */
static struct percpu__cpus known;

struct birth {
	void (*fn)(void *);
	void *arg;
	uint32_t told; /* a futex */
};

static bool is_watched(void)
{
	return __atomic_load_n(&watched, __ATOMIC_ACQUIRE) ==
	       percpu__mutex_family();
}

static bool is_self(void)
{
	return is_watched() &&
	       __atomic_load_n(&self, __ATOMIC_RELAXED) == percpu__os_thread();
}

static bool is_stopped(void)
{
	return __atomic_load_n(&stopped, __ATOMIC_RELAXED) != 0;
}

static void close_all(void)
{
	for (unsigned i = 0; i < 2; i++) {
		int fd = fds[i];

		/* First: a child of fork must not close it again. */
		__atomic_store_n(&fds[i], -1, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		percpu__os_events_close(fd);
	}
}

static int start_handlers(void)
{
	static bool handled;
	int err = percpu__mutex_start();

	if (err < 0 || __atomic_exchange_n(&handled, true, __ATOMIC_RELAXED) ||
	    pthread_atfork(NULL, NULL, close_all) == 0)
		return err;
	__atomic_store_n(&handled, false, __ATOMIC_RELAXED);
	return -ENOMEM;
}

/* Its first line is ACTION@PATH. */
static bool is_of_cpu(const char *event)
{
	static const char cpus[] = "@/devices/system/cpu/cpu";
	const char *path = strchr(event, '@');

	return path != NULL && strncmp(path, cpus, sizeof(cpus) - 1) == 0 &&
	       (unsigned)path[sizeof(cpus) - 1] - '0' < 10;
}

/* Take all events that there are; whether one tells of a CPU, or may have. */
static bool hear(void)
{
	char event[EVENT_BYTES];
	bool heard = false;

	while (fds[EVENTS] >= 0) {
		int got = percpu__os_events_take(fds[EVENTS], event,
						 sizeof(event));

		if (got == -EAGAIN)
			break;
		if (got == -ENOBUFS || (got >= 0 && is_of_cpu(event)))
			heard = true;
		else if (got < 0)
			fds[EVENTS] = -1; /* not closed: it is not ours now */
	}
	return heard;
}

/* Until there may be something to hear, to see or to obey. */
static void rest(void)
{
	int woken = percpu__os_events_wait(fds, LOOK_MS);

	if (is_stopped())
		return;
	if (woken < 0)
		percpu__os_wait(&stopped, 0, LOOK_MS);
	else if (woken > 0)
		fds[BELL] = -1; /* nobody has rung it: it is not ours now */
}

static void watch(void (*fn)(void *), void *arg)
{
	uint64_t looked = percpu__os_seconds();
	bool due = false;

	while (is_watched() && !is_stopped()) {
		rest();
		if (is_stopped())
			return;
		if (hear())
			due = true;
		else if (percpu__os_seconds() == looked)
			continue;
		looked = percpu__os_seconds();
		if (percpu__hotplug_look(&known) > 0) {
			percpu__os_keep(known.bits, sizeof(known.bits));
			due = true;
		}
		if (!due || percpu_cpus_refresh() < 0)
			continue;
		due = false;
		if (fn != NULL)
			fn(arg);
	}
}

static void *live(void *arg)
{
	struct birth *b = arg;
	void (*fn)(void *) = b->fn;
	void *fn_arg = b->arg;

	percpu__os_name("percpu/watch");
	__atomic_store_n(&self, percpu__os_thread(), __ATOMIC_RELAXED);
	percpu__hotplug_cpus_leave_out(percpu__os_thread());
	percpu__os_keep(known.bits, sizeof(known.bits));
	__atomic_store_n(&watched, percpu__mutex_family(), __ATOMIC_RELEASE);
	__atomic_store_n(&b->told, 1, __ATOMIC_RELEASE);
	percpu__os_wake(&b->told);
	watch(fn, fn_arg);
	return NULL;
}

/* Guarded. */
static int make_thread(struct birth *b)
{
	int err = percpu__hotplug_look(&known);

	if (err < 0)
		return err;
	err = percpu__thread_make(&thread, PERCPU__THREAD_STACK, live, b);
	while (err == 0 && __atomic_load_n(&b->told, __ATOMIC_ACQUIRE) == 0)
		percpu__os_wait(&b->told, 0, FOR_EVER);
	return err;
}

/* Guarded. */
static int start(void (*fn)(void *), void *arg)
{
	struct birth b = { .fn = fn, .arg = arg };
	int err = percpu__os_events_bell();

	if (err < 0)
		return err;
	fds[BELL] = err;
	err = percpu__os_events_open();
	fds[EVENTS] = err < 0 ? -1 : err;
	__atomic_store_n(&stopped, 0, __ATOMIC_RELAXED);
	err = make_thread(&b);
	if (err < 0)
		close_all();
	return err;
}

/* Guarded. */
static void stop(void)
{
	__atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
	percpu__os_wake(&stopped);
	percpu__os_events_ring(fds[BELL]);
	percpu__thread_join(thread);
	percpu__hotplug_cpus_leave_out(0);
	__atomic_store_n(&watched, 0, __ATOMIC_RELEASE);
	close_all();
}

static void take_lock(sigset_t *signals)
{
	percpu__thread_block(signals);
	percpu__mutex_take(&lock);
	/* It sees descriptors handed from one call to the next. */
	percpu__annot_tsan_acquire(&lock);
}

static void drop_lock(const sigset_t *signals)
{
	percpu__annot_tsan_release(&lock);
	percpu__mutex_drop(&lock);
	pthread_sigmask(SIG_SETMASK, signals, NULL);
}

int percpu_cpus_watch(void (*fn)(void *), void *arg)
{
	sigset_t signals;
	int err = start_handlers();

	if (err < 0)
		return err;
	if (is_watched())
		return -EBUSY;
	take_lock(&signals);
	err = is_watched() ? -EBUSY : start(fn, arg);
	drop_lock(&signals);
	return err;
}

int percpu_cpus_unwatch(void)
{
	sigset_t signals;

	if (is_self())
		return -EDEADLK;
	if (percpu__mutex_start() < 0)
		return -ENOMEM;
	take_lock(&signals);
	if (is_watched())
		stop();
	drop_lock(&signals);
	return 0;
}

/* The workers of calls are ended after it, by a destructor that says 103. */
static void __attribute__((destructor)) unload(void)
{
	if (!percpu__exit_keeps() && is_watched())
		percpu_cpus_unwatch();
}

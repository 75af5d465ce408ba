/* SPDX-License-Identifier: MIT */
/*
 * call_table.c: the queues of all CPUs, and who of the threads is a worker.
 *
 * The queues are one mapping, made at the first call, which the kernel makes
 * zero in a child of fork: there no CPU has a worker, as before the first call.
 * A handler of our own does the same where the kernel does not.
 *
 * Which thread is a worker is known by a pthread key: the library has no
 * thread-local storage, so that it can be unloaded.
 */
#include "call.h"

#include "env.h"
#include "mutex.h"
#include "os.h"

#include <percpu/cpu.h>

#include <errno.h>
#include <string.h>

#define TIMEOUT_MS 10000u

/* Written once each, and read by every call. */
static struct {
	struct percpu__call_queue *queues;
	unsigned nr; /* stored after the others, and loaded before them */
	pthread_key_t key;
	uint32_t timeout;
	size_t bytes;
	PERCPU_LINE_PAD(pad);
} made PERCPU_LINE_ALIGNED;

unsigned percpu__call_table_nr(void)
{
	return __atomic_load_n(&made.nr, __ATOMIC_ACQUIRE);
}

struct percpu__call_queue *percpu__call_table_at(unsigned cpu)
{
	return &made.queues[cpu];
}

struct percpu__call_self *percpu__call_table_self(void)
{
	struct percpu__call_self *self;

	if (percpu__call_table_nr() == 0)
		return NULL;
	self = pthread_getspecific(made.key);
	/* In a child, its thread is no worker, and its call is no more. */
	if (self != NULL && self->family != percpu__mutex_family())
		return NULL;
	return self;
}

int percpu__call_table_set_self(struct percpu__call_self *self)
{
	return pthread_setspecific(made.key, self) == 0 ? 0 : -ENOMEM;
}

uint32_t percpu__call_table_timeout(void)
{
	return made.timeout;
}

/*
 * What the kernel has done already, unless it does not. A handler of the
 * program's that runs before this one may have made workers.
 */
static void in_child(void)
{
	if (percpu__call_table_nr() == 0 || made.queues[0].kept == 0)
		return;
	memset(made.queues, 0, made.bytes);
	made.queues[0].kept = 1;
}

static uint32_t timeout_wanted(void)
{
	static struct percpu__env env = { "PERCPU_CALL_TIMEOUT", "milliseconds",
					  0 };

	return percpu__env_number(&env, TIMEOUT_MS);
}

static int map_queues(unsigned nr)
{
	size_t bytes = percpu__os_pages(nr * sizeof(*made.queues));
	void *p = percpu__os_map(bytes);

	if (p == NULL)
		return -ENOMEM;
	percpu__os_wipe_on_fork(p, bytes);
	made.queues = p;
	made.queues[0].kept = 1;
	made.bytes = bytes;
	return 0;
}

int percpu__call_table_make(void)
{
	static bool handled;
	unsigned nr = percpu_nr_cpu_ids();

	if (percpu__call_table_nr() != 0)
		return 0;
	if (!handled && pthread_atfork(NULL, NULL, in_child) != 0)
		return -ENOMEM;
	handled = true;
	if (pthread_key_create(&made.key, NULL) != 0)
		return -EAGAIN;
	if (map_queues(nr) < 0) {
		pthread_key_delete(made.key);
		return -ENOMEM;
	}
	made.timeout = timeout_wanted();
	/* Pairs with the acquire in percpu__call_table_nr(). */
	__atomic_store_n(&made.nr, nr, __ATOMIC_RELEASE);
	return 0;
}

void percpu__call_table_unmake(void)
{
	unsigned nr = percpu__call_table_nr();

	__atomic_store_n(&made.nr, 0, __ATOMIC_RELAXED);
	if (nr == 0)
		return;
	percpu__os_release(made.queues, made.bytes);
	pthread_key_delete(made.key);
}

/* SPDX-License-Identifier: MIT */
/*
 * call_stop.c: workers that end for good.
 *
 * A worker that has an order closes its queue by the exchange that takes what
 * is in it: what was sent before is run, what comes after is refused, and there
 * is no third. A stream of calls cannot keep it from its end.
 *
 * Who waits for the end of threads does not hold the lock that their functions
 * may want; only one does so at a time.
 *
 * dlclose stops the workers, since they run the library's code. exit does not:
 * it would wait for functions that may wait for it.
 */
#include "call.h"

#include "exit.h"
#include "misuse.h"
#include "mutex.h"

#include <errno.h>

/* Guards @alive and @thread of all queues, once calls are shut. */
static struct percpu__mutex burial;

static void order_all_to_stop(void)
{
	for (unsigned cpu = 0; cpu < percpu__call_table_nr(); cpu++) {
		struct percpu__call_queue *q = percpu__call_table_at(cpu);

		if (q->alive)
			percpu__call_queue_order(q, PERCPU__CALL_STOP);
		else
			__atomic_store_n(&q->head, PERCPU__CALL_SHUT,
					 __ATOMIC_RELAXED);
	}
}

static void bury_all(void)
{
	for (unsigned cpu = 0; cpu < percpu__call_table_nr(); cpu++) {
		struct percpu__call_queue *q = percpu__call_table_at(cpu);

		if (!q->alive)
			continue;
		percpu__call_start_bury(q);
		/* It may have closed its queue for want of its CPU. */
		__atomic_store_n(&q->head, PERCPU__CALL_SHUT, __ATOMIC_RELAXED);
	}
}

/* Guarded. A destructor of a thread's variable, where self is no more. */
static bool is_a_worker(pthread_t thread)
{
	for (unsigned cpu = 0; cpu < percpu__call_table_nr(); cpu++) {
		struct percpu__call_queue *q = percpu__call_table_at(cpu);

		if (__atomic_load_n(&q->alive, __ATOMIC_RELAXED) &&
		    pthread_equal(q->thread, thread))
			return true;
	}
	return false;
}

static int shut(void)
{
	sigset_t signals;
	int err = 0;

	percpu__call_start_lock(&signals);
	if (is_a_worker(pthread_self()))
		err = -EDEADLK;
	else if (!percpu__call_start_is_shut())
		order_all_to_stop();
	if (err == 0)
		percpu__call_start_shut();
	percpu__call_start_unlock(&signals);
	return err;
}

int percpu_call_stop(void)
{
	int err;

	if (percpu__call_table_self() != NULL)
		return -EDEADLK;
	if (percpu__mutex_start() < 0)
		return -ENOMEM;
	err = shut();
	if (err < 0)
		return err;
	percpu__mutex_take(&burial);
	bury_all();
	percpu__mutex_drop(&burial);
	return 0;
}

/* After the watcher's end, before destructors of what it needs, 101 and 102. */
static void __attribute__((destructor(103))) unload(void)
{
	if (percpu__exit_keeps())
		return;
	if (percpu__call_table_nr() != 0 && percpu_call_stop() < 0) {
		percpu__misuse(
			"",
			"a called function has unloaded the library that it returns to");
		return;
	}
	percpu__call_pool_unmake();
	percpu__call_table_unmake();
}

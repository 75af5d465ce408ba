/* SPDX-License-Identifier: MIT */
/*
 * call_start.c: workers made, at the first call to their CPU.
 *
 * A worker binds itself, so that one whose CPU is not to be had is found out
 * before its queue opens: what cannot run is never accepted. Signals are
 * blocked while it is made: it inherits that, and no handler finds its own
 * thread with the lock.
 */
#include "call.h"

#include "mutex.h"
#include "os.h"
#include "thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#define FOR_EVER UINT32_MAX

/*
 * Guards the start and the end of workers, and @shut. It is held while a thread
 * is made; so memory may be asked for under it.
 */
static struct percpu__mutex lock;
static bool shut;

void percpu__call_start_lock(sigset_t *signals)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, signals);
	percpu__mutex_take(&lock);
}

void percpu__call_start_unlock(const sigset_t *signals)
{
	percpu__mutex_drop(&lock);
	pthread_sigmask(SIG_SETMASK, signals, NULL);
}

void percpu__call_start_shut(void)
{
	__atomic_store_n(&shut, true, __ATOMIC_RELAXED);
}

bool percpu__call_start_is_shut(void)
{
	return __atomic_load_n(&shut, __ATOMIC_RELAXED);
}

/* What a new worker is told, and tells. On the stack of the one who starts. */
struct birth {
	struct percpu__call_queue *queue;
	unsigned cpu;
	uint32_t told; /* a futex: 1, it works, or 1 - its error */
};

static void tell(struct birth *b, int err)
{
	__atomic_store_n(&b->told, 1u - (uint32_t)err, __ATOMIC_RELEASE);
	percpu__os_wake(&b->told);
}

static int begin(struct percpu__call_self *self)
{
	char name[16];
	int err = percpu__os_bind(0, self->cpu);

	if (err < 0)
		return err == -EINVAL ? -ENXIO : err;
	snprintf(name, sizeof(name), "percpu/%u", self->cpu);
	percpu__os_name(name);
	return percpu__call_table_set_self(self);
}

static void *live(void *arg)
{
	struct birth *b = arg;
	struct percpu__call_queue *q = b->queue;
	struct percpu__call_self self = { .queue = q,
					  .family = percpu__mutex_family(),
					  .cpu = b->cpu };
	int err = begin(&self);

	if (err == 0) {
		q->id = percpu__os_thread();
		__atomic_store_n(
			&q->head,
			percpu__call_queue_tag(self.family, PERCPU__CALL_AWAKE),
			__ATOMIC_RELEASE);
	}
	tell(b, err);
	if (err == 0) {
		percpu__call_worker_run(&self);
		/* Destructors of the thread's variables may call. */
		percpu__call_table_set_self(NULL);
	}
	return NULL;
}

static int wait_for_birth(struct birth *b)
{
	uint32_t told;

	while ((told = __atomic_load_n(&b->told, __ATOMIC_ACQUIRE)) == 0)
		percpu__os_wait(&b->told, 0, FOR_EVER);
	return (int)(1u - told);
}

static void bury(struct percpu__call_queue *q)
{
	__atomic_store_n(&q->alive, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&q->order, PERCPU__CALL_STAY, __ATOMIC_RELAXED);
}

/*
 * Guarded: a worker whose CPU has gone; false while it runs what it was sent,
 * or destructors. These may call, and so want the lock: nobody waits for them
 * under it.
 */
static bool bury_left(struct percpu__call_queue *q)
{
	if (pthread_tryjoin_np(q->thread, NULL) != 0)
		return false;
	bury(q);
	return true;
}

/* Guarded: a worker that is told to end, or has failed to begin. */
void percpu__call_start_bury(struct percpu__call_queue *q)
{
	percpu__thread_join(q->thread);
	bury(q);
}

/* Guarded; the queue has no worker. */
static int make_worker(struct percpu__call_queue *q, unsigned cpu)
{
	struct birth b = { .queue = q, .cpu = cpu };
	uint32_t now = (uint32_t)percpu__os_seconds() + 1;
	int err;

	if (q->refused == now)
		return -ENXIO;
	err = percpu__thread_make(&q->thread, live, &b);
	if (err < 0)
		return err;
	err = wait_for_birth(&b);
	q->alive = 1;
	if (err < 0) {
		percpu__call_start_bury(q);
		q->refused = err == -ENXIO ? now : 0;
	}
	return err;
}

/* Guarded. */
static int start(unsigned cpu)
{
	struct percpu__call_queue *q;
	int err = percpu__call_start_is_shut() ? -ESHUTDOWN :
						 percpu__call_table_make();

	if (err < 0)
		return err;
	if (cpu >= percpu__call_table_nr())
		return -ENXIO;
	q = percpu__call_table_at(cpu);
	if (q->alive) {
		if (__atomic_load_n(&q->head, __ATOMIC_RELAXED) !=
		    PERCPU__CALL_GONE)
			return 0;
		if (!bury_left(q))
			return -ENXIO;
	}
	return make_worker(q, cpu);
}

int percpu__call_start(unsigned cpu)
{
	sigset_t signals;
	int err;

	if (percpu__mutex_start() < 0)
		return -ENOMEM;
	percpu__call_start_lock(&signals);
	err = start(cpu);
	percpu__call_start_unlock(&signals);
	return err;
}

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

#include "misuse.h"
#include "mutex.h"
#include "os.h"
#include "thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#define STACK_BYTES PERCPU__THREAD_STACK
/* So much of it may be libc's. */
#define STACK_SLACK (16u << 10)

/*
 * Guards the start and the end of workers, and @shut. It is held while a thread
 * is made; so memory may be asked for under it.
 */
static struct percpu__mutex lock;
static bool shut;

/*
 * Guarded: what libc is to be asked for. Some put the thread-local storage of
 * the program there, and tell nobody how much that is.
 */
static size_t stack_wanted = STACK_BYTES;

void percpu__call_start_lock(sigset_t *signals)
{
	percpu__thread_block(signals);
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
	const struct percpu_csd *csd; /* what it is made for */
	unsigned cpu;
	uint32_t told; /* a futex: 1, it works, or 1 - its error */
	size_t stack;  /* bytes of a larger one, where that is the error */
};

static void tell(struct birth *b, int err)
{
	__atomic_store_n(&b->told, 1u - (uint32_t)err, __ATOMIC_RELEASE);
	percpu__os_wake(&b->told);
}

/* Bytes of a stack that is large enough; 0: this one is, or nobody knows. */
static size_t larger_stack(void)
{
	char *here = __builtin_frame_address(0);
	pthread_attr_t attr;
	size_t size;
	size_t room;
	void *low;

	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return 0;
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	room = (size_t)(here - (char *)low);
	if (room >= STACK_BYTES - STACK_SLACK)
		return 0;
	/* And the page below it. */
	return percpu__os_pages(size + STACK_BYTES - room) +
	       percpu__os_page_size();
}

static int begin(struct percpu__call_self *self, struct birth *b)
{
	char name[16];
	int err;

	/* Once: where it is still not there, that is not known. */
	b->stack = stack_wanted == STACK_BYTES ? larger_stack() : 0;
	if (b->stack > 0)
		return -E2BIG;
	err = percpu__os_bind(0, self->cpu);
	if (err < 0)
		return err == -EINVAL ? -ENXIO : err;
	snprintf(name, sizeof(name), "percpu/%u", self->cpu);
	percpu__os_name(name);
	return percpu__call_table_set_self(self);
}

/* In a child of a function's that forked, its thread is no worker. */
static void ended_by_function(void *arg)
{
	const struct percpu__call_self *self = arg;

	if (self->family == percpu__mutex_family())
		percpu__misuse(
			": no call to that CPU ends any more",
			"a function that was called on CPU %u has ended the thread that it ran on",
			self->cpu);
}

static void *live(void *arg)
{
	struct birth *b = arg;
	struct percpu__call_queue *q = b->queue;
	struct percpu__call_self self = { .queue = q,
					  .family = percpu__mutex_family(),
					  .cpu = b->cpu };
	int err = begin(&self, b);

	if (err == 0) {
		q->id = percpu__os_thread();
		__atomic_store_n(
			&q->head,
			percpu__call_queue_tag(self.family, PERCPU__CALL_AWAKE),
			__ATOMIC_RELEASE);
	}
	tell(b, err);
	if (err == 0) {
		pthread_cleanup_push(ended_by_function, &self);
		percpu__call_worker_run(&self);
		pthread_cleanup_pop(0);
		/* Destructors of the thread's variables may call. */
		percpu__call_table_set_self(NULL);
	}
	return NULL;
}

static int wait_for_birth(struct birth *b)
{
	struct percpu__call_patience p = { 0 };
	uint32_t told;

	while ((told = __atomic_load_n(&b->told, __ATOMIC_ACQUIRE)) == 0) {
		percpu__call_csd_complain(&p, b->csd);
		percpu__os_wait(&b->told, 0, percpu__call_csd_doze());
	}
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
static int give_birth(struct birth *b)
{
	int err;

	b->told = 0;
	err = percpu__thread_make(&b->queue->thread, stack_wanted, live, b);
	if (err < 0)
		return err;
	err = wait_for_birth(b);
	b->queue->alive = 1;
	if (err < 0)
		percpu__call_start_bury(b->queue);
	return err;
}

static int make_worker(struct percpu__call_queue *q,
		       const struct percpu_csd *csd)
{
	struct birth b = { .queue = q, .csd = csd, .cpu = csd->dst };
	uint32_t now = (uint32_t)percpu__os_seconds() + 1;
	int err;

	if (q->refused == now)
		return -ENXIO;
	while ((err = give_birth(&b)) == -E2BIG)
		stack_wanted = b.stack;
	if (err < 0)
		q->refused = err == -ENXIO ? now : 0;
	return err;
}

/* Guarded. */
static int start(unsigned cpu, const struct percpu_csd *csd)
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
	return make_worker(q, csd);
}

int percpu__call_start(unsigned cpu, const struct percpu_csd *csd)
{
	sigset_t signals;
	int err;

	if (percpu__mutex_start() < 0)
		return -ENOMEM;
	percpu__call_start_lock(&signals);
	err = start(cpu, csd);
	percpu__call_start_unlock(&signals);
	return err;
}

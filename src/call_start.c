/* SPDX-License-Identifier: MIT */
/*
 * call_start.c: queues and workers made, and how a child begins.
 *
 * The queues of all CPUs are one mapping, made at the first call, which the
 * kernel makes zero in a child of fork: there no CPU has a worker, as before
 * the first call. A handler of our own does the same where the kernel does not.
 *
 * Which thread is a worker is known by a pthread key: the library has no
 * thread-local storage, so that it can be unloaded.
 *
 * Signals are blocked while a worker is made: it inherits that, and no handler
 * finds its own thread with the lock.
 */
#include "call.h"

#include "exit.h"
#include "mutex.h"
#include "os.h"

#include <percpu/cpu.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_BYTES (256u << 10)
#define TIMEOUT_MS 10000u
#define FOR_EVER UINT32_MAX

/* Written once each, and read by every call. */
static struct {
	struct percpu__call_queue *queues;
	unsigned nr; /* stored after the others, and loaded before them */
	pthread_key_t key;
	uint32_t timeout;
	size_t bytes;
	PERCPU_LINE_PAD(pad);
} made PERCPU_LINE_ALIGNED;

/*
 * Guards the start and the end of workers, and @shut. It is held while a thread
 * is made; so memory may be asked for under it.
 */
static struct percpu__mutex lock;
static bool shut;

unsigned percpu__call_nr(void)
{
	return __atomic_load_n(&made.nr, __ATOMIC_ACQUIRE);
}

struct percpu__call_queue *percpu__call_queue(unsigned cpu)
{
	return &made.queues[cpu];
}

struct percpu__call_self *percpu__call_self(void)
{
	struct percpu__call_self *self;

	if (percpu__call_nr() == 0)
		return NULL;
	self = pthread_getspecific(made.key);
	/* A function that forked: in the child its thread is no worker. */
	if (self != NULL && self->queue != NULL &&
	    self->family != percpu__mutex_family())
		return NULL;
	return self;
}

int percpu__call_set_self(struct percpu__call_self *self)
{
	return pthread_setspecific(made.key, self) == 0 ? 0 : -ENOMEM;
}

uint32_t percpu__call_timeout(void)
{
	return made.timeout;
}

void percpu__call_lock(sigset_t *signals)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, signals);
	percpu__mutex_take(&lock);
}

void percpu__call_unlock(const sigset_t *signals)
{
	percpu__mutex_drop(&lock);
	pthread_sigmask(SIG_SETMASK, signals, NULL);
}

void percpu__call_shut(void)
{
	__atomic_store_n(&shut, true, __ATOMIC_RELAXED);
}

bool percpu__call_is_shut(void)
{
	return __atomic_load_n(&shut, __ATOMIC_RELAXED);
}

/* What the kernel has done already, unless it does not. */
static void in_child(void)
{
	if (percpu__call_nr() != 0)
		memset(made.queues, 0, made.bytes);
}

static uint32_t timeout_wanted(void)
{
	const char *text = percpu__os_env("PERCPU_CALL_TIMEOUT");
	char *end = NULL;
	unsigned long ms = text != NULL ? strtoul(text, &end, 10) : 0;

	return end == NULL || end == text || *end != '\0' || ms > UINT32_MAX ?
		       TIMEOUT_MS :
		       (uint32_t)ms;
}

static int map_queues(unsigned nr)
{
	size_t page = percpu__os_page_size();
	size_t bytes = (nr * sizeof(*made.queues) + page - 1) & ~(page - 1);
	void *p = percpu__os_reserve(bytes);

	if (p == NULL)
		return -ENOMEM;
	if (percpu__os_commit(p, bytes) < 0) {
		percpu__os_release(p, bytes);
		return -ENOMEM;
	}
	percpu__os_wipe_on_fork(p, bytes);
	made.queues = p;
	made.bytes = bytes;
	return 0;
}

/* Guarded by the lock. */
static int make_queues(void)
{
	static bool handled;
	unsigned nr = percpu_nr_cpu_ids();

	if (percpu__call_nr() != 0)
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
	percpu__exit_watch();
	made.timeout = timeout_wanted();
	/* Pairs with the acquire in percpu__call_nr(). */
	__atomic_store_n(&made.nr, nr, __ATOMIC_RELEASE);
	return 0;
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
	return percpu__call_set_self(self);
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
		__atomic_store_n(&q->head, PERCPU__CALL_AWAKE,
				 __ATOMIC_RELEASE);
	}
	tell(b, err);
	if (err == 0)
		percpu__call_work(&self);
	/* In a child the queue may be another's. */
	if (self.family == percpu__mutex_family())
		__atomic_store_n(&q->ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

static int make_thread(struct birth *b)
{
	pthread_attr_t attr;
	int err;

	if (pthread_attr_init(&attr) != 0)
		return -ENOMEM;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	err = pthread_create(&b->queue->thread, &attr, live, b);
	/* The program's thread-local storage may take more than that. */
	if (err == EINVAL)
		err = pthread_create(&b->queue->thread, NULL, live, b);
	pthread_attr_destroy(&attr);
	return -err;
}

static int wait_for_birth(struct birth *b)
{
	uint32_t told;

	while ((told = __atomic_load_n(&b->told, __ATOMIC_ACQUIRE)) == 0)
		percpu__os_wait(&b->told, 0, FOR_EVER);
	return (int)(1u - told);
}

/* Guarded: a worker that is told to end, or has failed to begin. */
void percpu__call_bury(struct percpu__call_queue *q)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_join(q->thread, NULL);
	pthread_setcancelstate(cancel, &cancel);
	q->alive = 0;
	__atomic_store_n(&q->ended, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&q->order, PERCPU__CALL_STAY, __ATOMIC_RELAXED);
}

/* Guarded; the queue has no worker. */
static int make_worker(struct percpu__call_queue *q, unsigned cpu)
{
	struct birth b = { .queue = q, .cpu = cpu };
	uint32_t now = (uint32_t)percpu__os_seconds() + 1;
	int err;

	if (q->refused == now)
		return -ENXIO;
	err = make_thread(&b);
	if (err < 0)
		return err;
	err = wait_for_birth(&b);
	q->alive = 1;
	if (err < 0) {
		percpu__call_bury(q);
		q->refused = err == -ENXIO ? now : 0;
	}
	return err;
}

/* Guarded. */
static int start(unsigned cpu)
{
	struct percpu__call_queue *q;
	int err = percpu__call_is_shut() ? -ESHUTDOWN : make_queues();

	if (err < 0)
		return err;
	if (cpu >= percpu__call_nr())
		return -ENXIO;
	q = percpu__call_queue(cpu);
	if (q->alive) {
		if (__atomic_load_n(&q->head, __ATOMIC_RELAXED) !=
		    PERCPU__CALL_GONE)
			return 0;
		/* It runs what it was sent while its CPU was there. */
		if (!__atomic_load_n(&q->ended, __ATOMIC_ACQUIRE))
			return -ENXIO;
		percpu__call_bury(q);
	}
	return make_worker(q, cpu);
}

int percpu__call_start(unsigned cpu)
{
	sigset_t signals;
	int err;

	if (percpu__mutex_start() < 0)
		return -ENOMEM;
	percpu__call_lock(&signals);
	err = start(cpu);
	percpu__call_unlock(&signals);
	return err;
}

void percpu__call_unmake(void)
{
	unsigned nr = percpu__call_nr();

	__atomic_store_n(&made.nr, 0, __ATOMIC_RELAXED);
	if (nr == 0)
		return;
	percpu__os_release(made.queues, made.bytes);
	pthread_key_delete(made.key);
}

/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_CALL_H
#define PERCPU_SRC_CALL_H
/*
 * call.h: what the files of calls between CPUs share. DESIGN section 19 has
 * the picture and the argument.
 *
 *   call.c          percpu_call, percpu_call_async: one call, from end to end
 *   call_csd.c      the states of a csd
 *   call_queue.c    the queue of a CPU: send, take, sleep, wake
 *   call_worker.c   the thread of a CPU: what it runs, while it waits too
 *   call_table.c    the queues of all CPUs, and who is a worker
 *   call_start.c    workers made
 *   call_stop.c     workers ended, for good
 *   call_refresh.c  workers whose CPU has gone or come back
 *   call_many.c     one function on many CPUs
 *   call_pool.c     csds that nobody waits for
 */
#include <percpu/base.h>
#include <percpu/call.h>

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What a queue's head is when it is no csd, which are at multiples of 32; AWAKE
 * and ASLEEP with a number above them. A list's end is NULL.
 */
enum {
	PERCPU__CALL_NONE,	 /* no worker: zero, as all is in a child */
	PERCPU__CALL_AWAKE,	 /* empty; the worker will look again */
	PERCPU__CALL_ASLEEP = 3, /* empty; the worker must be woken */
	PERCPU__CALL_SHUT = 5,	 /* closed for good */
	PERCPU__CALL_GONE = 7,	 /* closed with its CPU */
	PERCPU__CALL_TAGS = 31
};

/* What a worker is asked to do when it has nothing else. */
enum { PERCPU__CALL_STAY, PERCPU__CALL_STOP, PERCPU__CALL_LEAVE };

/* A CPU's queue and its worker. All zero is one that was never used. */
struct percpu__call_queue {
	/* Written by senders; the worker looks, and takes all there is. */
	uintptr_t head; /* a csd, the last sent, or one of the above */

	/* Callers': read by each that waits, hardly ever written. */
	uint16_t waits PERCPU_LINE_ALIGNED; /* how often to look, then sleep */
	uint16_t fails;			    /* how often that was in vain */

	/* The worker's, and of those who start and end it. */
	uint32_t order PERCPU_LINE_ALIGNED; /* PERCPU__CALL_STAY and kin */
	uint32_t alive;	  /* guarded: @thread is to be joined */
	uint32_t refused; /* the second in which the CPU was refused, + 1 */
	uint32_t node;	  /* of the CPU, + 1; 0 is not known */
	uint32_t kept;	  /* in the first: not wiped, if this is a child */
	int id;		  /* guarded: the system's, of @thread */
	pthread_t thread; /* guarded */
} PERCPU_LINE_ALIGNED;

/* What a worker knows of itself. On its stack: a child has its own. */
struct percpu__call_self {
	struct percpu__call_queue *queue; /* NULL: a caller that waits */
	struct percpu_csd *rest;	  /* taken, not yet run; oldest first */
	uint32_t family;		  /* percpu__mutex_family() */
	unsigned cpu;
	unsigned depth;	 /* functions within one another */
	unsigned budget; /* how often it looks before it sleeps */
	unsigned fails;	 /* how often that was in vain */
	bool near;	 /* its last caller was on its own CPU */
	bool closed;	 /* its queue takes no more */
};

/* How long somebody has waited, and whether that was said. */
struct percpu__call_patience {
	uint32_t began;
	bool said;
	bool begun;
};

/* call_table.c */

/* How many queues there are; 0 before the first start. */
unsigned percpu__call_table_nr(void);
/* The queue of @cpu, which is below that. */
struct percpu__call_queue *percpu__call_table_at(unsigned cpu);
/* This thread's, if it is a worker or waits for a call; else NULL. */
struct percpu__call_self *percpu__call_table_self(void);
/* Let that be @self: 0 or -ENOMEM. */
int percpu__call_table_set_self(struct percpu__call_self *self);
/* Milliseconds after which a wait is told; 0 is never. */
uint32_t percpu__call_table_timeout(void);
/* Guarded by percpu__call_start_lock(): 0, -ENOMEM, -EAGAIN. */
int percpu__call_table_make(void);
/* Nobody calls any more. */
void percpu__call_table_unmake(void);

/* call_start.c */

/* A worker for @cpu, to run @csd: 0 if there is one; else why there is none. */
int percpu__call_start(unsigned cpu, const struct percpu_csd *csd);
/*
 * Guards starts and ends. Signals are blocked under it, so no handler finds its
 * own thread with it.
 */
void percpu__call_start_lock(sigset_t *signals);
void percpu__call_start_unlock(const sigset_t *signals);
/* Guarded: from now on percpu__call_start() answers -ESHUTDOWN. */
void percpu__call_start_shut(void);
bool percpu__call_start_is_shut(void);
/* Guarded: wait for the end of a worker that was told to end. */
void percpu__call_start_bury(struct percpu__call_queue *q);

/* call_csd.c */

/* @csd is in flight in @family from here on, nobody waits: 0 or -EBUSY. */
int percpu__call_csd_claim(struct percpu_csd *csd, uint32_t family);
/* Claimed, if it is, before a fork: it is in flight here. This family. */
uint32_t percpu__call_csd_renew(struct percpu_csd *csd);
/* It was not sent. */
void percpu__call_csd_unclaim(struct percpu_csd *csd);
/* Make @csd one that @self, or a thread that is no worker, waits for. */
void percpu__call_csd_expect(struct percpu_csd *csd,
			     const struct percpu__call_self *self);
/* The worker has @csd: give it back if nobody waits, true if somebody does. */
bool percpu__call_csd_begin(struct percpu_csd *csd);
/* Its function has run; @stale: elsewhere. The csd may then be gone. */
void percpu__call_csd_finish(struct percpu_csd *csd, bool stale);
bool percpu__call_csd_done(const struct percpu_csd *csd);
/* 0 or -ESTALE of one that is done. */
int percpu__call_csd_result(const struct percpu_csd *csd);
/*
 * For a thread that is no worker: wait until @csd, sent in process @family, is
 * done; its result.
 */
int percpu__call_csd_wait(struct percpu_csd *csd, uint32_t family);
/* The same, for a worker too, whose queue is closed; without a look before. */
int percpu__call_csd_sleep(struct percpu_csd *csd, uint32_t family);
/* Milliseconds to sleep before one looks again, whether that is to be said. */
unsigned percpu__call_csd_doze(void);
/* @csd is not done after another sleep: say it, once, if that is long. */
void percpu__call_csd_complain(struct percpu__call_patience *p,
			       const struct percpu_csd *csd);

/* call_queue.c */

/* AWAKE or ASLEEP of a queue in process @family. */
static inline uintptr_t percpu__call_queue_tag(uint32_t family, uintptr_t kind)
{
	return (uintptr_t)family * (PERCPU__CALL_TAGS + 1) + kind;
}

/*
 * Send @csd, whose src and dst are set: true, or false and why in *@head.
 * *@family is percpu__mutex_family() of before it was claimed, and then of the
 * process that it was sent in: a signal handler may have forked meanwhile.
 */
bool percpu__call_queue_push(struct percpu__call_queue *q,
			     struct percpu_csd *csd, uint32_t *family,
			     uintptr_t *head);
/* The worker's: take all there is, oldest first, and leave @tag. */
struct percpu_csd *percpu__call_queue_take(struct percpu__call_queue *q,
					   uintptr_t tag);
/* Give the worker an order; it follows when it has nothing else. */
void percpu__call_queue_order(struct percpu__call_queue *q, uint32_t order);
/* Wake a worker that sleeps. */
void percpu__call_queue_kick(struct percpu__call_queue *q);
/* The worker's: wait for calls, or an order, or, if there is one, for @csd. */
void percpu__call_queue_idle(struct percpu__call_self *self,
			     const struct percpu_csd *csd,
			     struct percpu__call_patience *p);

/* call_worker.c */

/* Until it is told to end. */
void percpu__call_worker_run(struct percpu__call_self *self);
/* Run what comes until @csd is done; its result. */
int percpu__call_worker_serve(struct percpu__call_self *self,
			      struct percpu_csd *csd);

/* call.c */

/*
 * Send @csd to @cpu, making a worker if need be: 0 or -errno. *@family as in
 * percpu__call_queue_push().
 */
int percpu__call_send(unsigned cpu, struct percpu_csd *csd, unsigned src,
		      uint32_t *family);
/* Whether this thread may wait for a call: 0 or -EDEADLK. */
int percpu__call_may_wait(const struct percpu__call_self *self);
/* The number that tells a csd where it comes from. */
unsigned percpu__call_src(const struct percpu__call_self *self);
/* Wait for @csd, which was sent in process @family. */
int percpu__call_await(struct percpu__call_self *self, struct percpu_csd *csd,
		       uint32_t family);

/* call_pool.c */

/* A call that nobody waits for, whose csd is the library's. */
struct percpu__call_node {
	struct percpu_csd csd;
	struct percpu__call_node *next;
	percpu_fn *fn;
	void *arg;
} __attribute__((aligned(64)));

/* A list of @n that run @fn(@arg), ready to be sent; NULL: no memory. */
struct percpu__call_node *percpu__call_pool_get(unsigned n, percpu_fn *fn,
						void *arg);
/* Those that were not sent. */
void percpu__call_pool_put(struct percpu__call_node *list);
/* None is in flight. */
void percpu__call_pool_unmake(void);

/* call_refresh.c, for hotplug.c */

/*
 * CPUs have come or gone. Workers whose CPU is there are bound to it again; the
 * others run what they were sent, and end. Waits for no function.
 */
void percpu__call_refresh(void);

#endif

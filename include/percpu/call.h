/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_CALL_H
#define PERCPU_CALL_H
/*
 * call.h: functions that run on a CPU that the caller names, there and then.
 *
 *   int err = percpu_call(3, fn, arg);       fn(arg) has run on CPU 3
 *
 *   static struct percpu_csd csd;
 *   percpu_csd_init(&csd, fn, arg);
 *   int err = percpu_call_async(3, &csd);    fn(arg) runs on CPU 3 soon
 *
 * Each CPU has a thread of the library's, its worker, made at the first call
 * to that CPU and bound to it, with the caller's scheduling policy and priority
 * and 256 KiB of stack; all signals are blocked but those that its own faults
 * raise. It is a thread like others: a called function may be preempted by
 * others of its CPU, so it uses per-CPU operations like everybody. It may call,
 * queue, lock, and wait for whatever does not itself wait for this worker. It
 * must not end its thread, which is not its own.
 *
 * Effect: every call that is accepted runs once. Calls of one thread to one
 * CPU start in the order in which they were made, of both kinds.
 * Nesting: a called function may call any CPU, its own too. While a worker
 * waits for such a call it runs others that come to it, at most
 * PERCPU_CALL_DEPTH functions within one another; so calls in circles end.
 * CPUs: a CPU that is off line, that the process may not use (its cpuset), or
 * that does not exist is refused, -ENXIO; a refusal may be remembered for
 * a second, or until percpu_cpus_refresh(), and lasts while the worker that the
 * CPU had before runs what it was sent. The affinity of the caller, which
 * taskset(1) sets, is a matter of the caller's and no bound.
 * Lost CPUs: the system, or another program, may take a worker off its CPU.
 * What it runs then is answered -ESTALE, also after "taskset -ap" has let all
 * threads use more CPUs than before, until percpu_cpus_refresh() finds it: the
 * watcher of hotplug.h calls that only when a CPU has come or gone.
 * Context: threads, and for percpu_call_async(), to CPUs that have had a call
 * in this process and are still there, signal handlers. percpu_call() in
 * a handler that has interrupted its thread while that slept in one is refused,
 * -EDEADLK; elsewhere it is not found out, and waits. The rest is not for
 * handlers.
 * Fork: a child has no workers, and makes its own when it calls. Calls that
 * were in flight are cancelled there, and their csd is free. A function that
 * forks should end the child by _exit or exec: if it returns there, its
 * thread ends, and with it the child. A signal handler that forks while
 * percpu_call() waits: that call answers -ECANCELED in the child.
 * Ordering: what was done before a call is seen by the function, and what that
 * did is seen when percpu_call() returns. Nothing else is ordered.
 * Source: Linux, kernel/smp.c.
 */
#include <percpu/base.h>
#include <sched.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

typedef void percpu_fn(void *arg);

/*
 * A call that the caller need not wait for. It is 32 bytes, and aligned to
 * them, so it never lies on two lines; it may be part of another object, but
 * not in memory that processes share. What contains one is aligned to 32, too:
 * malloc() does not see to that, aligned_alloc(32, ...) does, and C++17's new;
 * sizes are multiples of 32. It must stay where it is from
 * percpu_call_async() until its function starts: from then on it is the
 * caller's again, who may queue it, change it or free it, in the function
 * itself too.
 */
struct percpu_csd {
	struct percpu_csd *next; /* for the library */
	uint32_t state;		 /* the same */
	uint16_t src;		 /* the same */
	uint16_t dst;		 /* the same */
	percpu_fn *fn;
	void *arg;
} __attribute__((aligned(32)));

/* Functions within one another on one worker, at most. */
#define PERCPU_CALL_DEPTH 8

/* Flags of percpu_call_many() and percpu_call_each(). */
#define PERCPU_CALL_WAIT 0u   /* return when all have run */
#define PERCPU_CALL_NOWAIT 1u /* return when all are queued */
#define PERCPU_CALL_OTHERS 2u /* leave out the CPU that the caller is on */

/*
 * Make @csd, whatever is in it, a call of @fn(@arg). Not while it is in flight,
 * which nobody looks for here: that breaks the queue. It may be left out where
 * all but fn and arg is zero. Context: any.
 */
PERCPU__INLINE void percpu_csd_init(struct percpu_csd *csd, percpu_fn *fn,
				    void *arg)
{
	csd->next = NULL;
	csd->state = 0;
	csd->src = 0;
	csd->dst = 0;
	csd->fn = fn;
	csd->arg = arg;
}

/*
 * Run @fn(@arg) on @cpu and wait for it. 0: it ran there. Nothing has run:
 * -ENXIO, there is no such CPU for this process; -EDEADLK, the caller is
 * PERCPU_CALL_DEPTH functions deep in a worker, or a signal handler within
 * a call; -ESHUTDOWN, after percpu_call_stop(); -ENOMEM or -EAGAIN, the system
 * gives no memory or thread for a worker; -EPERM, it binds none, or what else
 * it says to that; -ECANCELED, in a child of fork. It has run, -ESTALE: but its
 * worker had been taken off @cpu, before or at its end.
 * While it waits long, a message says so: after 10 s, or the milliseconds of
 * PERCPU_CALL_TIMEOUT in the environment; 0 is never.
 */
int percpu_call(unsigned cpu, percpu_fn *fn, void *arg);

/*
 * Run the function of @csd on @cpu, and do not wait. No function may be NULL,
 * here and below: the worker would jump there. 0; -EBUSY, @csd is in
 * flight; else as percpu_call(), and @csd is not in flight. Where its worker
 * has been taken off @cpu the function runs elsewhere, and nothing tells.
 * A csd that is not at a multiple of 32 bytes is a mistake of the program's:
 * a message, abort, or -EINVAL with PERCPU_MISUSE=warn in the environment.
 */
int percpu_call_async(unsigned cpu, struct percpu_csd *csd);

/*
 * No calls from now on, in this process and its children: they answer
 * -ESHUTDOWN. Every call that was accepted has run, and all workers have ended,
 * when this returns 0. -EDEADLK in a worker, in destructors of its thread's
 * variables too, and in a signal handler within a call. Again is harmless.
 * Not needed before exit, which waits for no worker, nor before dlclose, which
 * does this, with the loader's lock: a function that wants that too hangs, and
 * one that unloads the library is misuse. Needed where main() ends by
 * pthread_exit: workers are threads, and the process stays.
 */
int percpu_call_stop(void);

/* Other libcs than glibc hide cpu_set_t. */
#if defined(__GLIBC__) || defined(_GNU_SOURCE)
/*
 * Run @fn(@arg) on every CPU of @set, of @setsize bytes, that there is for this
 * process, at the same time, and with PERCPU_CALL_WAIT wait for all. @set is
 * read once, at the start. The CPU that the caller is on is one like others,
 * which is not so in Linux, unless PERCPU_CALL_OTHERS is given; a thread that
 * is not bound may be elsewhere by then.
 * 0. Nothing has run: -EINVAL, a flag that has no meaning; -ENOMEM; -EDEADLK,
 * as in percpu_call(), where it would wait. Else the first error of a CPU,
 * -EAGAIN for -ENOMEM, never -ENXIO; on all others it has run, or is queued.
 * Cost: O(CPUs of @set).
 */
int percpu_call_many(const cpu_set_t *set, size_t setsize, percpu_fn *fn,
		     void *arg, unsigned flags);

/*
 * Run @fn(@arg) on one CPU of @set and wait for it: the caller's, else one of
 * its node, else another. Returns its number; -ENXIO if there is none for this
 * process; else as percpu_call().
 */
int percpu_call_any(const cpu_set_t *set, size_t setsize, percpu_fn *fn,
		    void *arg);
#endif

/*
 * As percpu_call_many() on those CPUs on line for which @cond(cpu, @arg) is
 * true; NULL is true for all. @cond runs in the caller, for all CPUs before the
 * first call. If it is true for none no worker is woken.
 */
int percpu_call_each(bool (*cond)(unsigned cpu, void *arg), percpu_fn *fn,
		     void *arg, unsigned flags);

PERCPU__DECLS_END
#endif

/* SPDX-License-Identifier: MIT */
/*
 * call_csd.c: the states of a csd.
 *
 *   nobody waits     FREE -> family | 1 -> FREE, and then the function runs
 *   a thread waits   WAITED ----------------------> DONE or STALE
 *                      `-> SLEPT: it is to be woken --^
 *   a worker waits   SERVED ----------------------> DONE or STALE
 *                      `-> SLEPT: its own queue is closed
 *
 * One that nobody waits for has the number of the process that it is in flight
 * in, which is even. So a child, where it can be in flight no more, finds it
 * free. The one of a caller that waits lies on that caller's stack.
 *
 * The words are a futex in SLEPT. The wake comes after the store that lets the
 * caller go on, so it may hit a word that is something else by then; who sleeps
 * there wakes for nothing, for which all users of futexes must be ready.
 */
#include "call.h"

#include "annot.h"
#include "message.h"
#include "mutex.h"
#include "os.h"
#include "section.h"

#include <errno.h>

enum { FREE = 0, WAITED = 2, SLEPT = 4, SERVED = 6, DONE = 8, STALE = 10 };

#define IN_FLIGHT 1u

/* How often a caller looks before it sleeps: 40 to 140 cycles each. */
#define WAITS_MIN 20u
#define WAITS_MAX 400u
/*
 * After so many vain goes at the least it looks for longer than a worker takes
 * to wake up: a caller and a worker that both sleep, and each time find the
 * other asleep, would go on so for ever.
 */
#define PROBE 16u
#define WAITS_PROBE 4000u

/* Milliseconds of a sleep: a child must find out that it is one. */
#define DOZE_MS 1000u

int percpu__call_csd_claim(struct percpu_csd *csd, uint32_t family)
{
	uint32_t mine = family | IN_FLIGHT;
	uint32_t state = __atomic_load_n(&csd->state, __ATOMIC_RELAXED);

	do {
		if (state == mine)
			return -EBUSY;
		/* Pairs with the release in percpu__call_csd_begin(). */
	} while (!__atomic_compare_exchange_n(&csd->state, &state, mine, false,
					      __ATOMIC_ACQUIRE,
					      __ATOMIC_RELAXED));
	return 0;
}

uint32_t percpu__call_csd_renew(struct percpu_csd *csd)
{
	uint32_t family = percpu__mutex_family();

	if ((__atomic_load_n(&csd->state, __ATOMIC_RELAXED) & IN_FLIGHT) != 0)
		__atomic_store_n(&csd->state, family | IN_FLIGHT,
				 __ATOMIC_RELAXED);
	return family;
}

void percpu__call_csd_unclaim(struct percpu_csd *csd)
{
	__atomic_store_n(&csd->state, FREE, __ATOMIC_RELEASE);
}

void percpu__call_csd_expect(struct percpu_csd *csd,
			     const struct percpu__call_self *self)
{
	__atomic_store_n(&csd->state, self != NULL ? SERVED : WAITED,
			 __ATOMIC_RELAXED);
}

bool percpu__call_csd_begin(struct percpu_csd *csd)
{
	uint32_t state = __atomic_load_n(&csd->state, __ATOMIC_RELAXED);

	percpu__annot_tsan_acquire(csd);
	if ((state & IN_FLIGHT) == 0)
		return true;
	/* Pairs with the acquire in percpu__call_csd_claim(). */
	__atomic_store_n(&csd->state, FREE, __ATOMIC_RELEASE);
	return false;
}

void percpu__call_csd_finish(struct percpu_csd *csd, bool stale)
{
	unsigned src = csd->src;
	uint32_t was;

	percpu__annot_tsan_release(csd);
	/*
	 * Release pairs with the acquire in percpu__call_csd_done(), the full
	 * order with that of percpu__call_queue_idle().
	 */
	was = __atomic_exchange_n(&csd->state, stale ? STALE : DONE,
				  __ATOMIC_SEQ_CST);
	if (was == SLEPT)
		percpu__os_wake(&csd->state);
	else if (was == SERVED)
		percpu__call_queue_kick(percpu__call_table_at(src));
}

bool percpu__call_csd_done(const struct percpu_csd *csd)
{
	return __atomic_load_n(&csd->state, __ATOMIC_SEQ_CST) >= DONE;
}

int percpu__call_csd_result(const struct percpu_csd *csd)
{
	percpu__annot_tsan_acquire(csd);
	return __atomic_load_n(&csd->state, __ATOMIC_RELAXED) == STALE ?
		       -ESTALE :
		       0;
}

/* How often to look this time. */
static unsigned budget(struct percpu__call_queue *q)
{
	unsigned waits = __atomic_load_n(&q->waits, __ATOMIC_RELAXED);
	unsigned fails;

	if (waits > WAITS_MIN)
		return waits;
	fails = __atomic_load_n(&q->fails, __ATOMIC_RELAXED);
	return fails % PROBE == 0 ? WAITS_PROBE : WAITS_MIN;
}

/* It paid or not: more or less the next time. Stores nothing at the most. */
static void learn(struct percpu__call_queue *q, bool paid)
{
	unsigned old = __atomic_load_n(&q->waits, __ATOMIC_RELAXED);
	unsigned waits = paid ? WAITS_MAX : old / 2;

	if (!paid && old <= WAITS_MIN)
		__atomic_fetch_add(&q->fails, 1, __ATOMIC_RELAXED);
	if (waits != old)
		__atomic_store_n(&q->waits, (uint16_t)waits, __ATOMIC_RELAXED);
}

/* Look for a while, if the worker can run meanwhile. */
static bool spin(struct percpu_csd *csd, struct percpu__call_queue *q)
{
	unsigned n;

	if (csd->src == csd->dst)
		return percpu__call_csd_done(csd);
	n = budget(q);
	for (unsigned i = 0; i < n; i++) {
		if (percpu__call_csd_done(csd)) {
			learn(q, true);
			return true;
		}
		percpu__relax();
	}
	learn(q, false);
	return false;
}

void percpu__call_csd_complain(struct percpu__call_patience *p,
			       const struct percpu_csd *csd)
{
	uint32_t now = percpu__os_ticks();
	uint32_t limit = percpu__call_table_timeout();

	if (!p->begun) {
		p->begun = true;
		p->began = now;
	}
	if (p->said || limit == 0 ||
	    (uint64_t)(now - p->began) * 1000 / 256 < limit)
		return;
	p->said = true;
	percpu__message(
		"a call from CPU %u has waited %u ms for CPU %u: function %p, or one before it, has not ended, or the worker percpu/%u is not let run",
		(unsigned)csd->src, limit, (unsigned)csd->dst,
		(void *)(uintptr_t)csd->fn, (unsigned)csd->dst);
}

unsigned percpu__call_csd_doze(void)
{
	uint32_t limit = percpu__call_table_timeout();

	return limit != 0 && limit < DOZE_MS ? limit : DOZE_MS;
}

int percpu__call_csd_sleep(struct percpu_csd *csd, uint32_t family)
{
	struct percpu__call_patience p = { 0 };
	uint32_t state = __atomic_load_n(&csd->state, __ATOMIC_RELAXED);

	while (state < DONE &&
	       !__atomic_compare_exchange_n(&csd->state, &state, SLEPT, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	while (!percpu__call_csd_done(csd)) {
		/* A signal handler has forked since: it is the parent's. */
		if (family != percpu__mutex_family())
			return -ECANCELED;
		percpu__call_csd_complain(&p, csd);
		percpu__os_wait(&csd->state, SLEPT, percpu__call_csd_doze());
	}
	return percpu__call_csd_result(csd);
}

int percpu__call_csd_wait(struct percpu_csd *csd, uint32_t family)
{
	struct percpu__call_self within = { .family = percpu__mutex_family() };
	int ret;

	if (spin(csd, percpu__call_table_at(csd->dst)))
		return percpu__call_csd_result(csd);
	/* Without it, a handler that calls is not found out, and waits. */
	percpu__call_table_set_self(&within);
	ret = percpu__call_csd_sleep(csd, family);
	percpu__call_table_set_self(NULL);
	return ret;
}

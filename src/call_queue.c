/* SPDX-License-Identifier: MIT */
/*
 * call_queue.c: the queue of a CPU, many senders and one worker.
 *
 * The head is the last csd that was sent, each has the one before it. A sender
 * puts itself there by one compare-and-swap; the worker takes all at once and
 * turns them round, so they run in the order of those compare-and-swaps.
 *
 * An empty queue says whether its worker is asleep. So the sender that finds it
 * so wakes it, no other does, and no sender reads another line than the head's.
 * The lower half of the head is what a sleeping worker's futex waits on: csds
 * are at multiples of 32, so it never looks like PERCPU__CALL_ASLEEP.
 *
 * AWAKE and ASLEEP carry the number of their process. So a sender knows in
 * which one its csd was taken, though a signal handler may have forked at any
 * instruction, and called in the child: what it expects of the head is nothing
 * that the other's has. But for a csd of the same place, which the handler
 * would have to have sent there.
 *
 * Rejected: a queue by exchange, whose sender leaves a gap until it has linked
 * what it sent: one that is preempted there holds up all the others.
 */
#include "call.h"

#include "annot.h"
#include "mutex.h"
#include "os.h"
#include "section.h"

/* How often a worker looks before it sleeps; see call_csd.c. */
#define BUDGET_MIN 20u
#define BUDGET_MAX 400u
#define PROBE 16u

#define DOZE_MS 1000u
#define FOR_EVER UINT32_MAX

static uint32_t *low_half(struct percpu__call_queue *q)
{
	uint32_t *half = (uint32_t *)&q->head;

	return half + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ &&
		       sizeof(q->head) > sizeof(*half));
}

static uintptr_t kind_of(uintptr_t head)
{
	return head & PERCPU__CALL_TAGS;
}

bool percpu__call_queue_push(struct percpu__call_queue *q,
			     struct percpu_csd *csd, uint32_t *family,
			     uintptr_t *head)
{
	/* A guess saves a look, which would bring the line twice. */
	uintptr_t old = percpu__call_queue_tag(*family, PERCPU__CALL_AWAKE);

	percpu__annot_tsan_release(csd);
	csd->next = NULL;
	/* Release pairs with the acquire in percpu__call_queue_take(). */
	while (!__atomic_compare_exchange_n(&q->head, &old, (uintptr_t)csd,
					    false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED)) {
		*head = old;
		if (*family != percpu__mutex_family())
			*family = percpu__call_csd_renew(csd);
		if (old == PERCPU__CALL_NONE || old == PERCPU__CALL_SHUT ||
		    old == PERCPU__CALL_GONE)
			return false;
		csd->next = kind_of(old) == 0 ? (struct percpu_csd *)old : NULL;
	}
	if (kind_of(old) == PERCPU__CALL_ASLEEP)
		percpu__os_wake(low_half(q));
	return true;
}

static struct percpu_csd *turn_round(struct percpu_csd *last)
{
	struct percpu_csd *first = NULL;

	while (last != NULL) {
		struct percpu_csd *next = last->next;

		last->next = first;
		first = last;
		last = next;
	}
	return first;
}

static bool has_calls(const struct percpu__call_queue *q)
{
	uintptr_t head = __atomic_load_n(&q->head, __ATOMIC_RELAXED);

	if (kind_of(head) != 0)
		return false;
	percpu__section_own((const void *)head);
	return head != PERCPU__CALL_NONE;
}

struct percpu_csd *percpu__call_queue_take(struct percpu__call_queue *q,
					   uintptr_t tag)
{
	uintptr_t head;

	if (kind_of(tag) == PERCPU__CALL_AWAKE && !has_calls(q))
		return NULL;
	/* Pairs with the release in percpu__call_queue_push(). */
	head = __atomic_exchange_n(&q->head, tag, __ATOMIC_ACQUIRE);
	return kind_of(head) == 0 ? turn_round((struct percpu_csd *)head) :
				    NULL;
}

static uintptr_t awake(uintptr_t asleep)
{
	return asleep - PERCPU__CALL_ASLEEP + PERCPU__CALL_AWAKE;
}

void percpu__call_queue_kick(struct percpu__call_queue *q)
{
	uintptr_t head = __atomic_load_n(&q->head, __ATOMIC_SEQ_CST);

	if (kind_of(head) == PERCPU__CALL_ASLEEP &&
	    __atomic_compare_exchange_n(&q->head, &head, awake(head), false,
					__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		percpu__os_wake(low_half(q));
}

void percpu__call_queue_order(struct percpu__call_queue *q, uint32_t order)
{
	/* Before the kick, as called_for() is after the head is ASLEEP. */
	__atomic_store_n(&q->order, order, __ATOMIC_SEQ_CST);
	percpu__call_queue_kick(q);
}

/* Whether there is a reason not to sleep that is not in the head. */
static bool called_for(const struct percpu__call_self *self,
		       const struct percpu_csd *csd)
{
	if (csd != NULL)
		return percpu__call_csd_done(csd);
	return __atomic_load_n(&self->queue->order, __ATOMIC_SEQ_CST) !=
	       PERCPU__CALL_STAY;
}

/* As in call_csd.c, for one worker. */
static bool spin(struct percpu__call_self *self, const struct percpu_csd *csd)
{
	unsigned n = self->budget;

	if (self->near)
		return false;
	if (n <= BUDGET_MIN)
		n = self->fails % PROBE == 0 ? BUDGET_MAX : BUDGET_MIN;
	for (unsigned i = 0; i < n; i++) {
		if (has_calls(self->queue) ||
		    (csd != NULL && percpu__call_csd_done(csd))) {
			self->budget = BUDGET_MAX;
			return true;
		}
		percpu__relax();
	}
	if (self->budget <= BUDGET_MIN)
		self->fails++;
	else
		self->budget /= 2;
	return false;
}

static void sleep_once(struct percpu__call_self *self, uintptr_t asleep,
		       const struct percpu_csd *csd,
		       struct percpu__call_patience *p)
{
	uint32_t *word = low_half(self->queue);

	if (csd == NULL) {
		percpu__os_wait(word, (uint32_t)asleep, FOR_EVER);
		return;
	}
	percpu__call_csd_complain(p, csd);
	percpu__os_wait(word, (uint32_t)asleep, DOZE_MS);
}

void percpu__call_queue_idle(struct percpu__call_self *self,
			     const struct percpu_csd *csd,
			     struct percpu__call_patience *p)
{
	struct percpu__call_queue *q = self->queue;
	uintptr_t asleep =
		percpu__call_queue_tag(self->family, PERCPU__CALL_ASLEEP);
	uintptr_t head = awake(asleep);

	if (spin(self, csd))
		return;
	/* Before called_for(); see percpu__call_queue_kick(). */
	if (!__atomic_compare_exchange_n(&q->head, &head, asleep, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return;
	head = asleep;
	if (called_for(self, csd)) {
		__atomic_compare_exchange_n(&q->head, &head, awake(asleep),
					    false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
		return;
	}
	while (__atomic_load_n(&q->head, __ATOMIC_RELAXED) == asleep &&
	       self->family == percpu__mutex_family())
		sleep_once(self, asleep, csd, p);
}

/* SPDX-License-Identifier: MIT */
/*
 * call.c: functions that run on a CPU that the caller names.
 *
 *   callers                 queue of CPU 3            worker of CPU 3
 *     csd --- compare-and-swap --> head --- exchange ---> turned round
 *      ^      (wakes, if it was                             fn(arg)
 *      |       asleep)                                         |
 *      `------------- DONE, on the csd itself ----------------'
 *
 * A call to a worker that is awake moves two lines each way, the queue's head
 * and the csd, and makes no system call: that is the floor, but for a mailbox
 * that only one caller may use. A csd that is waited for lies on the caller's
 * stack, on a line of its own.
 *
 * Calls of both kinds go through one queue, and those to the caller's own CPU
 * too, so they start in the order in which they were made. The kernel runs the
 * latter at once, in the caller; but a thread of ours may be moved while it
 * does so, and only a worker is bound.
 *
 * DESIGN section 19 has the argument.
 */
#include "call.h"

#include "annot.h"
#include "misuse.h"
#include "mutex.h"
#include "os.h"
#include "section.h"

#include <errno.h>
#include <limits.h>

int percpu__call_send(unsigned cpu, struct percpu_csd *csd, unsigned src,
		      uint32_t *family)
{
	uintptr_t head = PERCPU__CALL_NONE;
	int err;

	csd->src = (uint16_t)src;
	csd->dst = (uint16_t)cpu;
	for (;;) {
		if (cpu < percpu__call_table_nr() &&
		    percpu__call_queue_push(percpu__call_table_at(cpu), csd,
					    family, &head))
			return 0;
		if (head == PERCPU__CALL_SHUT)
			return -ESHUTDOWN;
		err = percpu__call_start(cpu, csd);
		if (err < 0)
			return err;
	}
}

int percpu__call_may_wait(const struct percpu__call_self *self)
{
	if (self == NULL ||
	    (self->queue != NULL && self->depth < PERCPU_CALL_DEPTH))
		return 0;
	return -EDEADLK;
}

unsigned percpu__call_src(const struct percpu__call_self *self)
{
	bool works = self != NULL && self->queue != NULL;
	int cpu = works ? (int)self->cpu : percpu__os_cpu();

	return cpu >= 0 && cpu < UINT16_MAX ? (unsigned)cpu : UINT16_MAX;
}

int percpu__call_await(struct percpu__call_self *self, struct percpu_csd *csd,
		       uint32_t family)
{
	return self != NULL && self->family == family ?
		       percpu__call_worker_serve(self, csd) :
		       percpu__call_csd_wait(csd, family);
}

int percpu_call(unsigned cpu, percpu_fn *fn, void *arg)
{
	struct percpu_csd csd PERCPU_LINE_ALIGNED;
	struct percpu__call_self *self;
	uint32_t family;
	int err;

	if (cpu < percpu__call_table_nr())
		percpu__section_own(percpu__call_table_at(cpu));
	family = percpu__mutex_family();
	csd.fn = fn;
	csd.arg = arg;
	self = percpu__call_table_self();
	err = percpu__call_may_wait(self);

	if (err == 0) {
		percpu__call_csd_expect(&csd, self);
		err = percpu__call_send(cpu, &csd, percpu__call_src(self),
					&family);
	}
	return err == 0 ? percpu__call_await(self, &csd, family) : err;
}

/* The low bits of a queue's head are not the csd's: malloc() gives 16 bytes. */
static bool misplaced(const struct percpu_csd *csd)
{
	if (((uintptr_t)csd & PERCPU__CALL_TAGS) == 0)
		return false;
	percpu__misuse("; nothing is called",
		       "percpu_call_async(%p): the csd is not at a multiple of "
		       "32 bytes; use aligned_alloc() for what contains it",
		       (const void *)csd);
	return true;
}

int percpu_call_async(unsigned cpu, struct percpu_csd *csd)
{
	uint32_t family = percpu__mutex_family();
	int err;

	if (misplaced(csd))
		return -EINVAL;
	err = percpu__call_csd_claim(csd, family);
	if (err == 0) {
		err = percpu__call_send(cpu, csd, percpu__call_src(NULL),
					&family);
		if (err < 0)
			percpu__call_csd_unclaim(csd);
	}
	return err;
}

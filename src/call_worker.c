/* SPDX-License-Identifier: MIT */
/*
 * call_worker.c: what the thread of a CPU does.
 *
 * At depth 0 it takes what its queue has, runs it, and sleeps. A function may
 * wait for a call of its own; then the same thread runs what comes to it, one
 * function within another, until that call is done. Taken and not yet run is
 * kept where the inner ones find it, so the order stays that of the queue.
 *
 * A function may have forked. In the child there is no queue: its thread comes
 * back from the function, and ends.
 */
#include "call.h"

#include "mutex.h"
#include "os.h"

#include <errno.h>

/* The next to run; NULL if there is none now. */
static struct percpu_csd *next(struct percpu__call_self *self)
{
	struct percpu_csd *csd = self->rest;

	if (csd == NULL)
		csd = percpu__call_queue_take(
			self->queue, percpu__call_queue_tag(
					     self->family, PERCPU__CALL_AWAKE));
	if (csd != NULL)
		self->rest = csd->next;
	return csd;
}

static bool forked(const struct percpu__call_self *self)
{
	return self->family != percpu__mutex_family();
}

static void perform(struct percpu__call_self *self, struct percpu_csd *csd)
{
	percpu_fn *fn = csd->fn;
	void *arg = csd->arg;
	int here = percpu__os_cpu();
	bool waited;

	self->near = csd->src == here;
	waited = percpu__call_csd_begin(csd);
	self->depth++;
	fn(arg);
	self->depth--;
	if (!waited || forked(self))
		return;
	percpu__call_csd_finish(csd, here != (int)self->cpu ||
					     percpu__os_cpu() != here);
}

int percpu__call_worker_serve(struct percpu__call_self *self,
			      struct percpu_csd *csd)
{
	struct percpu__call_patience p = { 0 };

	while (!percpu__call_csd_done(csd)) {
		struct percpu_csd *other;

		if (forked(self))
			return -ECANCELED;
		other = next(self);
		if (other != NULL)
			perform(self, other);
		else if (self->closed)
			return percpu__call_csd_sleep(csd, self->family);
		else
			percpu__call_queue_idle(self, csd, &p);
	}
	return percpu__call_csd_result(csd);
}

/* Take what is there, and nothing after it. */
static void close_queue(struct percpu__call_self *self, uint32_t order)
{
	self->rest = percpu__call_queue_take(
		self->queue, order == PERCPU__CALL_STOP ? PERCPU__CALL_SHUT :
							  PERCPU__CALL_GONE);
	self->closed = true;
	while (self->rest != NULL && !forked(self))
		perform(self, next(self));
}

void percpu__call_worker_run(struct percpu__call_self *self)
{
	for (;;) {
		struct percpu_csd *csd;
		uint32_t order =
			__atomic_load_n(&self->queue->order, __ATOMIC_RELAXED);

		if (self->rest == NULL && order != PERCPU__CALL_STAY) {
			close_queue(self, order);
			return;
		}
		csd = next(self);
		if (csd != NULL)
			perform(self, csd);
		else
			percpu__call_queue_idle(self, NULL, NULL);
		if (forked(self))
			return;
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * call_refresh.c: workers when CPUs have come or gone.
 *
 * Whether a CPU is there for a worker is asked by binding it. One that cannot
 * be bound gets an order, upon which it closes its queue and runs what is in
 * it, elsewhere, and ends; who calls that CPU next buries it, and tries to make
 * a new one. So nobody waits here for a function.
 */
#include "call.h"

#include "os.h"

#include <errno.h>

static void look_after(struct percpu__call_queue *q, unsigned cpu)
{
	q->refused = 0;
	__atomic_store_n(&q->node, 0, __ATOMIC_RELAXED);
	if (q->alive && q->order == PERCPU__CALL_STAY &&
	    percpu__os_bind(q->id, cpu) == -EINVAL)
		percpu__call_queue_order(q, PERCPU__CALL_LEAVE);
}

void percpu__call_refresh(void)
{
	sigset_t signals;

	if (percpu__call_table_nr() == 0)
		return;
	percpu__call_start_lock(&signals);
	if (!percpu__call_start_is_shut())
		for (unsigned cpu = 0; cpu < percpu__call_table_nr(); cpu++)
			look_after(percpu__call_table_at(cpu), cpu);
	percpu__call_start_unlock(&signals);
}

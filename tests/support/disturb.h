/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_DISTURB_H
#define TESTS_SUPPORT_DISTURB_H
/*
 * disturb.h: what interrupts a thread again and again: signals, and moves from
 * CPU to CPU.
 */
#include "check.h"

#include <percpu/cpu.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* SIGALRM for this thread every 100 us of its own time, until timer_delete(). */
static inline timer_t disturb_by_signals(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGALRM };
	struct itimerspec often = { { 0, 100000 }, { 0, 100000 } };
	timer_t timer;

	event.sigev_notify_thread_id = gettid();
	CHECK(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &often, NULL) == 0);
	return timer;
}

/* To CPU @n, modulo their number, if the process may run there. */
static inline void disturb_by_move(unsigned n)
{
	cpu_set_t set;
	unsigned cpu = n % percpu_nr_cpu_ids();

	if (!percpu_cpu_allowed(cpu))
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

#endif

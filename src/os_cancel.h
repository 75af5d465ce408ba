/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_OS_CANCEL_H
#define PERCPU_SRC_OS_CANCEL_H
/*
 * os_cancel.h: who asks the system may have locks, or has shut caches. So a
 * thread that is cancelled in between does not end there, but when its program
 * comes to the next place that may end it.
 */
#include <pthread.h>

static inline int percpu__os_hold(void)
{
	int was;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
	return was;
}

static inline void percpu__os_let(int was)
{
	pthread_setcancelstate(was, &was);
}

#endif

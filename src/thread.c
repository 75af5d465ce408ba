/* SPDX-License-Identifier: MIT */
/*
 * thread.c: the library's own threads, made and joined. What they run of the
 * program's is small, so their stacks are.
 */
#include "thread.h"

#include <errno.h>

/* Raised by what a thread does itself: the program may handle them. */
static const int faults[] = {
	SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP
};

void percpu__thread_block(sigset_t *before)
{
	sigset_t set;

	sigfillset(&set);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		sigdelset(&set, faults[i]);
	pthread_sigmask(SIG_SETMASK, &set, before);
}

int percpu__thread_make(pthread_t *thread, size_t stack, void *(*fn)(void *),
			void *arg)
{
	pthread_attr_t attr;
	int err;

	if (pthread_attr_init(&attr) != 0)
		return -ENOMEM;
	pthread_attr_setstacksize(&attr, stack);
	err = pthread_create(thread, &attr, fn, arg);
	/* The program's thread-local storage may take more than that. */
	if (err == EINVAL)
		err = pthread_create(thread, NULL, fn, arg);
	pthread_attr_destroy(&attr);
	return -err;
}

void percpu__thread_join(pthread_t thread)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_join(thread, NULL);
	pthread_setcancelstate(cancel, &cancel);
}

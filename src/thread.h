/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_THREAD_H
#define PERCPU_SRC_THREAD_H
/*
 * thread.h: the library's own threads. Who makes one has blocked signals, which
 * it inherits.
 */
#include <pthread.h>
#include <signal.h>

/* Bytes of stack that are enough for most. */
#define PERCPU__THREAD_STACK ((size_t)256 << 10)

/*
 * Block all signals but those that a thread's own faults raise; @before is what
 * was blocked.
 */
void percpu__thread_block(sigset_t *before);

/*
 * Make @thread, which runs @fn(@arg) on @stack bytes, or on as many as libc
 * would take if those are too few for it. 0 or -errno.
 */
int percpu__thread_make(pthread_t *thread, size_t stack, void *(*fn)(void *),
			void *arg);

/* Wait for its end, whoever cancels the caller. */
void percpu__thread_join(pthread_t thread);

#endif

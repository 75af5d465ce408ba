/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_THREAD_H
#define PERCPU_SRC_THREAD_H
/*
 * thread.h: the library's own threads. Who makes one has blocked all signals,
 * which it inherits.
 */
#include <pthread.h>

/* Make @thread, which runs @fn(@arg) on a small stack. 0 or -errno. */
int percpu__thread_make(pthread_t *thread, void *(*fn)(void *), void *arg);

/* Wait for its end, whoever cancels the caller. */
void percpu__thread_join(pthread_t thread);

#endif

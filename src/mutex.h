/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_MUTEX_H
#define PERCPU_SRC_MUTEX_H
/*
 * mutex.h: locks within objects, for which a fork does not wait: as lock.h, of
 * which there is one, for any number. In a child of fork, a lock whose holder
 * did not come along is free.
 *
 * What each guards says where it is. Under it nothing is allocated, and no
 * other lock is taken, but by hotplug.c, retire.c and watcher.c, which say in
 * which order.
 */
#include <percpu/base.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * Let children of fork be told from their parents. 0 or -ENOMEM, where the next
 * call tries again.
 */
int percpu__mutex_start(void);

/* A number that a child of fork does not share with its parent; never 0. */
uint32_t percpu__mutex_family(void);

void percpu__mutex_init(struct percpu__mutex *m);

/* True for the first that takes it in a child of fork. */
bool percpu__mutex_take(struct percpu__mutex *m);

/*
 * The same where the thread that forked may hold the lock, and goes on to hold
 * it in the child, and no other thread can have held it then.
 */
void percpu__mutex_take_any(struct percpu__mutex *m);
void percpu__mutex_drop(struct percpu__mutex *m);

#endif

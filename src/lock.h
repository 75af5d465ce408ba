/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_LOCK_H
#define PERCPU_SRC_LOCK_H
/*
 * lock.h: the one lock of the allocator.
 *
 * It guards the list of chunks and every chunk's book. It is a leaf: under it
 * nothing is mapped, allocated, woken or printed and no other lock is taken.
 * A fork holds it, so that the child finds the list whole and the lock free.
 */

/*
 * Let forks know of the lock; done as the library is loaded, and again by
 * whoever allocates if that failed. 0 or -ENOMEM.
 */
int percpu__lock_start(void);

void percpu__lock_take(void);
void percpu__lock_drop(void);

#endif

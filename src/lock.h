/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_LOCK_H
#define PERCPU_SRC_LOCK_H
/*
 * lock.h: the one lock of the allocator.
 *
 * It guards the list of chunks, changes of the registry and every chunk's book.
 * It is a leaf: under it nothing is mapped, allocated, woken or printed and no
 * other lock is taken. A fork does not wait for it.
 */
#include <stdbool.h>

/*
 * Let children of fork be told from their parents; @child runs in each, before
 * fork() returns there. 0 or -ENOMEM, where the next call tries again.
 */
int percpu__lock_start(void (*child)(void));

/*
 * True for the first that takes it in a child of fork: what it guards is as it
 * was at the fork, perhaps in the middle of a change by a thread that is not
 * in this process. The caller puts it in order before anything else.
 */
bool percpu__lock_take(void) __attribute__((warn_unused_result));
void percpu__lock_drop(void);

/*
 * Whether this is a child of fork where nobody has taken it yet, also after a
 * fork that ran no handlers; or a process where nobody ever has.
 */
bool percpu__lock_is_strange(void);

#endif

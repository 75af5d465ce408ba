/* SPDX-License-Identifier: MIT */
#ifndef BENCH_CALL_PEERS_H
#define BENCH_CALL_PEERS_H
/*
 * call_peers.h: how programs have another thread do something, without this
 * library. Each has a partner that serves, and functions that ask it.
 */
#include "partner.h"

#include <stdint.h>

/* A line that both spin on: for one caller. */
extern struct partner peer_mailbox;
void peer_mailbox_call(void (*fn)(void *), void *arg);

/* A mutex and two condition variables, one call. */
extern struct partner peer_cond;
void peer_cond_call(void (*fn)(void *), void *arg);

/* Two pipes: a byte there, a byte back. */
extern struct partner peer_pipe;
int peer_pipe_open(void); /* 0 or -errno */
void peer_pipe_call(void (*fn)(void *), void *arg);
void peer_pipe_close(void);

/* A queue of eight under a mutex, with two condition variables. */
extern struct partner peer_queue;
void peer_queue_call(void (*fn)(void *), void *arg);
void peer_queue_flush(void); /* wait until all have run */

#endif

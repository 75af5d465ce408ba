/* SPDX-License-Identifier: MIT */
#ifndef BENCH_ALLOC_PEERS_H
#define BENCH_ALLOC_PEERS_H
/*
 * alloc_peers.h: other allocators, as far as they are installed.
 */
#include <stddef.h>

struct peer {
	void *(*alloc)(size_t size);
	void (*free)(void *p);
};

extern struct peer peer_percpu, peer_malloc, peer_calloc;

/* calloc of jemalloc and mimalloc; alloc is NULL where they are not there. */
extern struct peer peer_jemalloc, peer_mimalloc;

/* Look for them; their malloc does not take the place of this program's. */
void peers_find(void);

#endif

/* SPDX-License-Identifier: MIT */
#include "alloc_peers.h"

#include <percpu/alloc.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void *take_percpu(size_t size)
{
	return percpu_alloc(size, size < 8 ? 4 : 8);
}

static void give_percpu(void *p)
{
	percpu_free(p);
}

static void *take_calloc(size_t size)
{
	return calloc(1, size);
}

struct peer peer_percpu = { take_percpu, give_percpu };
struct peer peer_malloc = { malloc, free };
struct peer peer_calloc = { take_calloc, free };
struct peer peer_jemalloc, peer_mimalloc;

static void *(*je_calloc)(size_t n, size_t size);
static void *(*mi_calloc)(size_t n, size_t size);

static void *take_jemalloc(size_t size)
{
	return je_calloc(1, size);
}

static void *take_mimalloc(size_t size)
{
	return mi_calloc(1, size);
}

/* To @function, a pointer to one: C has no cast from void * to that. */
static void find(void *library, const char *name, void *function)
{
	void *p = dlsym(library, name);

	memcpy(function, &p, sizeof(p));
}

/*
 * RTLD_DEEPBIND: their own calls go to their own functions, not to this
 * program's malloc.
 */
static void *load(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

void peers_find(void)
{
	void *library = load("libjemalloc.so.2");

	if (library != NULL) {
		find(library, "calloc", &je_calloc);
		find(library, "free", &peer_jemalloc.free);
		if (je_calloc != NULL && peer_jemalloc.free != NULL)
			peer_jemalloc.alloc = take_jemalloc;
	}
	library = load("libmimalloc.so.2");
	if (library != NULL) {
		find(library, "mi_calloc", &mi_calloc);
		find(library, "mi_free", &peer_mimalloc.free);
		if (mi_calloc != NULL && peer_mimalloc.free != NULL)
			peer_mimalloc.alloc = take_mimalloc;
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * statics.c: the variables of static.h, from load to unload.
 *
 *   object (program or plug-in)              library
 *     constructor 102, one a variable  --->  load:   handle = new object
 *     percpu_var: handle, or late()    --->  late:   the same, before load
 *     destructor 102                   --->  unload: free, but not at exit
 *
 * 1. A handle is stored once, by compare-and-swap from NULL; who loses a race
 *    frees what it made. So all see one handle.
 * 2. A reader may not allocate in a signal handler. It does so only before the
 *    variable's constructor, when "settled" is 0; once that ran, with success
 *    or without, a reader finds the handle or NULL.
 * 3. The handle is released after the object is complete and the policy
 *    published; percpu_var() acquires it.
 * 4. At exit nothing is freed: a thread that outlives main(), a handler of
 *    atexit(), a destructor that runs later may count on. exit.c tells exit
 *    from dlclose.
 *
 * One constructor a variable, not a section of records between two symbols of
 * the linker: it costs some 60 bytes a variable, and nothing depends on how a
 * linker collects sections, how a compiler aligns records in an array, or what
 * a sanitizer puts between them.
 */
#include "exit.h"
#include "image.h"

#include <percpu/alloc.h>
#include <percpu/static.h>

#include <errno.h>

typedef void *__attribute__((may_alias)) handle;

static void *make(const struct percpu__static *v)
{
	void *h = percpu_alloc(v->size, v->align);

	if (h != NULL)
		percpu__image_copy(h, v->image, v->image_size);
	return h;
}

/* The handle, made now if there is none; NULL if memory is short. */
static void *get(struct percpu__static *v)
{
	handle *var = (handle *)v->handle;
	void *now = __atomic_load_n(var, __ATOMIC_ACQUIRE);
	void *h = now == NULL ? make(v) : NULL;

	if (h == NULL)
		return now;
	if (__atomic_compare_exchange_n(var, &now, h, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		__atomic_store_n(&v->made, 1, __ATOMIC_RELAXED);
		return h;
	}
	percpu_free(h);
	return now;
}

void percpu__statics_load(struct percpu__static *v)
{
	percpu__exit_watch(v);
	get(v);
	/* Pairs with late(): who sees it sees the handle. */
	__atomic_store_n(&v->settled, 1, __ATOMIC_RELEASE);
}

void *percpu__statics_late(struct percpu__static *v)
{
	void *h;

	if (!__atomic_load_n(&v->settled, __ATOMIC_ACQUIRE))
		return get(v);
	/* The load may have ended after the reader looked. */
	h = __atomic_load_n((handle *)v->handle, __ATOMIC_ACQUIRE);
	if (h == NULL)
		errno = ENOMEM;
	return h;
}

void percpu__statics_unload(struct percpu__static *v)
{
	if (percpu__exit_keeps(v) || !v->made)
		return;
	percpu_free(__atomic_exchange_n((handle *)v->handle, NULL,
					__ATOMIC_RELAXED));
}

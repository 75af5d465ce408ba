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
 * 5. Two objects that define one name may have one handle: then the dynamic
 *    linker leads both to it. Records of all variables are in lists, by their
 *    handles' addresses; the last one with a handle frees what is there, and
 *    the linker keeps the object where the handle lies until then. Who enters
 *    looks for a namesake, which must agree on what it is: of two that come at
 *    once, before there is an object, the second sees the first.
 * 6. At each instruction the lists are whole: a record enters and leaves by one
 *    store. A child of fork, in which another thread was at that, says of what
 *    is in the lists that it is.
 *
 * One constructor a variable, not a section of records between two symbols of
 * the linker: it costs some 60 bytes a variable, and nothing depends on how a
 * linker collects sections, how a compiler aligns records in an array, or what
 * a sanitizer puts between them.
 *
 * Rejected: one list. Each of 10^4 variables of a plug-in looked through all
 * that were left: its dlclose took 110 ms, and loading a second one 250 ms.
 */
#include "statics.h"
#include "exit.h"
#include "image.h"
#include "misuse.h"
#include "mutex.h"

#include <percpu/alloc.h>
#include <percpu/static.h>

#include <errno.h>

typedef void *__attribute__((may_alias)) handle;

/* How a variable is settled: with the program, or with a plug-in. */
enum { STAYS = 1, GOES = 2 };

#define LISTS_LOG2 9

/* Guards the lists and each record's next and listed. */
static struct percpu__mutex lock;
static struct percpu__static *lists[1 << LISTS_LOG2];

/* Handles lie side by side, or a record apart, as the linker has it. */
static struct percpu__static **list_of(const struct percpu__static *v)
{
	uint64_t mixed = (uintptr_t)v->handle * 0x9e3779b97f4a7c15ull;

	return &lists[mixed >> (64 - LISTS_LOG2)];
}

/* Another that has @v's handle, or NULL; the lists are locked. */
static struct percpu__static *namesake(const struct percpu__static *v)
{
	struct percpu__static *r = *list_of(v);

	while (r != NULL && (r == v || r->handle != v->handle))
		r = r->next;
	return r;
}

static bool agree(const struct percpu__static *a,
		  const struct percpu__static *b)
{
	return b == NULL || (a->size == b->size && a->align == b->align);
}

/* By (6). */
static void take(void)
{
	if (!percpu__mutex_take(&lock))
		return;
	for (unsigned i = 0; i < 1u << LISTS_LOG2; i++)
		for (struct percpu__static *r = lists[i]; r; r = r->next)
			r->listed = 1;
}

/* Let @v be in its list; a namesake, if it was not. */
static struct percpu__static *add(struct percpu__static *v)
{
	struct percpu__static **at = list_of(v);
	struct percpu__static *other = NULL;

	take();
	if (!v->listed) {
		other = namesake(v);
		v->next = *at;
		__atomic_store_n(at, v, __ATOMIC_RELEASE);
		__atomic_store_n(&v->listed, 1, __ATOMIC_RELEASE);
	}
	percpu__mutex_drop(&lock);
	return other;
}

/* From now on @v is known, so that no namesake frees what it may use. */
static void enlist(struct percpu__static *v)
{
	struct percpu__static *other;

	percpu__mutex_start();
	other = add(v);
	if (!agree(v, other))
		percpu__misuse(
			"; the first is for both",
			"PERCPU_DEFINE(%s): two objects define it, with %zu and with %zu bytes",
			v->name, other->size, v->size);
}

/* What is @v's alone, to be freed; all is kept at exit. */
static void *delist(struct percpu__static *v, bool keeps)
{
	struct percpu__static **at = list_of(v);
	void *h = NULL;

	take();
	/* It is not there if a constructor before its own has called exit. */
	while (*at != NULL && *at != v)
		at = &(*at)->next;
	if (*at == v)
		__atomic_store_n(at, v->next, __ATOMIC_RELEASE);
	if (!keeps && namesake(v) == NULL)
		h = __atomic_exchange_n((handle *)v->handle, NULL,
					__ATOMIC_RELAXED);
	percpu__mutex_drop(&lock);
	return h;
}

static void *make(const struct percpu__static *v)
{
	void *h = percpu_alloc(v->size, v->align);

	if (h == NULL)
		return NULL;
	percpu__image_copy(h, v->image, v->image_size);
	if (v->shared_too)
		percpu__image_copy_shared(h, v->image, v->image_size);
	return h;
}

/* The handle, made now if there is none; NULL if memory is short. */
static void *get(struct percpu__static *v)
{
	handle *var = (handle *)v->handle;
	void *now;
	void *h;

	enlist(v);
	now = __atomic_load_n(var, __ATOMIC_ACQUIRE);
	h = now == NULL ? make(v) : NULL;
	if (h == NULL)
		return now;
	if (__atomic_compare_exchange_n(var, &now, h, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return h;
	percpu_free(h);
	return now;
}

void percpu__statics_load(struct percpu__static *v)
{
	unsigned how = percpu__exit_watch(v) ? STAYS : GOES;

	get(v);
	/* Pairs with late(): who sees it sees the handle. */
	__atomic_store_n(&v->settled, how, __ATOMIC_RELEASE);
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

bool percpu__statics_again(struct percpu__static *v)
{
	return get(v) != NULL;
}

void percpu__statics_unload(struct percpu__static *v)
{
	percpu_free(delist(v, v->settled != GOES || percpu__exit_has_begun()));
}

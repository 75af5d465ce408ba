/* SPDX-License-Identifier: MIT */
/*
 * debug_notes.c: notes on objects.
 *
 *   pages: | head, a note per cell of a unit ... | a pointer per cell of
 *          |                                     | every unit (roots)
 *
 * Both are reserved whole and filled as objects are made. Handles and slots
 * lead to their chunk by a list, which is walked: this is for a search for
 * mistakes, and a walk finds its way in the middle of a report, when another
 * thread may have stopped anywhere.
 *
 * Invariant: a chunk is on the list before it gives objects, and off it after
 * they are gone; so a note of an object at hand stays where it is.
 */
#include "debug_notes.h"

#include "os.h"

#include <percpu/base.h>

#include <pthread.h>

struct chunk {
	struct chunk *next;
	char *units;
	size_t len;
	size_t mapped;	    /* bytes of this record */
	const void **roots; /* NULL: without */
	struct percpu__debug_note notes[];
};

static struct chunk *chunks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t stride(void)
{
	return (size_t)percpu__rt.stride;
}

static struct chunk *load(struct chunk *const *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static void store(struct chunk **at, struct chunk *c)
{
	__atomic_store_n(at, c, __ATOMIC_RELEASE);
}

static size_t notes_len(void)
{
	size_t len = sizeof(struct chunk) +
		     stride() / PERCPU__DEBUG_CELL *
			     sizeof(struct percpu__debug_note);

	return percpu__os_pages(len);
}

bool percpu__debug_notes_add(char *units, size_t len, bool roots)
{
	size_t notes = notes_len();
	size_t mapped = notes + (roots ? len : 0);
	struct chunk *c = percpu__os_map(mapped);

	if (c == NULL)
		return false;
	c->units = units;
	c->len = len;
	c->mapped = mapped;
	if (roots)
		c->roots = (const void **)(void *)((char *)c + notes);
	pthread_mutex_lock(&lock);
	c->next = chunks;
	store(&chunks, c);
	pthread_mutex_unlock(&lock);
	return true;
}

void percpu__debug_notes_remove(const char *units)
{
	struct chunk **at = &chunks;
	struct chunk *c;

	pthread_mutex_lock(&lock);
	while ((c = *at) != NULL && c->units != units)
		at = &c->next;
	if (c != NULL)
		store(at, c->next);
	pthread_mutex_unlock(&lock);
	if (c != NULL)
		percpu__os_release(c, c->mapped);
}

/* The chunk that has @p between its first unit - @before and its end. */
static struct chunk *owner(const void *p, size_t before)
{
	struct chunk *c = load(&chunks);

	while (c != NULL &&
	       (uintptr_t)p - ((uintptr_t)c->units - before) >= c->len + before)
		c = load(&c->next);
	return c;
}

struct percpu__debug_note *percpu__debug_notes_of(const void *h)
{
	struct chunk *c;

	pthread_mutex_lock(&lock);
	c = owner(h, stride());
	pthread_mutex_unlock(&lock);
	if (c == NULL)
		return NULL;
	return &c->notes[(stride() - (size_t)(c->units - (const char *)h)) /
			 PERCPU__DEBUG_CELL];
}

const void **percpu__debug_notes_root(const void *h, const void *slot)
{
	struct chunk *c;

	pthread_mutex_lock(&lock);
	c = owner(h, stride());
	pthread_mutex_unlock(&lock);
	if (c == NULL || c->roots == NULL)
		return NULL;
	return &c->roots[(size_t)((const char *)slot - c->units) /
			 PERCPU__DEBUG_CELL];
}

bool percpu__debug_notes_find(const void *p, struct percpu__debug_found *found)
{
	const struct chunk *c = owner(p, 0);
	size_t at;
	size_t cell;

	if (c == NULL)
		return false;
	at = (size_t)((const char *)p - c->units);
	found->slot = (uint32_t)(at / stride());
	at %= stride();
	cell = at / PERCPU__DEBUG_CELL;
	while (cell > 0 && c->notes[cell].size == 0)
		cell--;
	found->note = &c->notes[cell];
	found->offset = at - cell * PERCPU__DEBUG_CELL;
	found->h = c->units - stride() + cell * PERCPU__DEBUG_CELL;
	return found->note->size != 0;
}

void percpu__debug_notes_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

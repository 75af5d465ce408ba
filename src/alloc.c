/* SPDX-License-Identifier: MIT */
/*
 * alloc.c: handles from a list of chunks.
 *
 * The list is guarded by the lock of lock.h. A chunk is made, unmapped and
 * zeroed outside of it: a new one is nobody else's yet, an unlinked one nobody
 * else's any more, and an object just taken has no other user. The first chunk
 * that has room gives; one empty chunk is kept, further ones are unmapped.
 *
 * Recycled memory is made zero when it is given out again, in every slot:
 * only then is it sure that no late writer of the former object is left.
 * Memory that was never given out is zero, and is not read.
 */
#include "chunk.h"
#include "lock.h"
#include "message.h"
#include "os.h"
#include "policy.h"

#include <percpu/alloc.h>

#include <errno.h>
#include <string.h>

/* Guarded by the lock of lock.h. */
static struct percpu__chunk *chunks;

size_t percpu_max_size(void)
{
	return percpu_stride();
}

/* Take @run from the first chunk that has it; NULL if none. Under the lock. */
static struct percpu__chunk *take(struct percpu__run *run, uint32_t align)
{
	struct percpu__chunk *c = chunks;

	while (c != NULL && !percpu__chunk_take(c, run, align))
		c = c->next;
	return c;
}

/* Take @run, from a new chunk if need be; NULL if memory is short. */
static struct percpu__chunk *take_or_grow(struct percpu__run *run,
					  uint32_t align)
{
	struct percpu__chunk *made;
	struct percpu__chunk *c;

	percpu__lock_take();
	c = take(run, align);
	percpu__lock_drop();
	if (c != NULL)
		return c;
	made = percpu__chunk_create();
	if (made == NULL)
		return NULL;
	percpu__chunk_take(made, run, align);
	percpu__lock_take();
	made->next = chunks;
	chunks = made;
	percpu__lock_drop();
	return made;
}

void *percpu_alloc(size_t size, size_t align)
{
	struct percpu__run run;
	struct percpu__chunk *c = NULL;

	if (size == 0 || align == 0 || (align & (align - 1)) != 0) {
		errno = EINVAL;
		return NULL;
	}
	if (size <= percpu_max_size() && align <= percpu__os_page_size() &&
	    percpu__lock_start() == 0) {
		run.count =
			(uint32_t)((size + PERCPU__GRAIN - 1) / PERCPU__GRAIN);
		c = take_or_grow(&run, align <= PERCPU__GRAIN ?
					       1 :
					       (uint32_t)align / PERCPU__GRAIN);
	}
	if (c == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	percpu__chunk_zero(c, run);
	return c->base + (size_t)run.first * PERCPU__GRAIN;
}

/* The chunk in whose guard @h points; NULL if none. Under the lock. */
static struct percpu__chunk *owner(const char *h)
{
	struct percpu__chunk *c = chunks;

	while (c != NULL &&
	       (uintptr_t)h - (uintptr_t)c->base >= percpu__rt.stride)
		c = c->next;
	return c;
}

/*
 * Unlink an empty chunk if there is another empty one; NULL if there are not
 * two. Under the lock.
 */
static struct percpu__chunk *unlink_spare(unsigned keep)
{
	struct percpu__chunk **at = &chunks;
	struct percpu__chunk *c;

	for (c = chunks; c != NULL; at = &c->next, c = *at) {
		if (c->free != c->grains)
			continue;
		if (keep == 0) {
			*at = c->next;
			return c;
		}
		keep--;
	}
	return NULL;
}

/* Why @h cannot be freed, NULL if it was freed. Under the lock. */
static const char *try_free(char *h)
{
	struct percpu__chunk *c = owner(h);
	size_t offset;

	if (c == NULL)
		return "is no handle of this library";
	offset = (size_t)(h - c->base);
	if (offset % PERCPU__GRAIN != 0)
		return "points into an object";
	switch (percpu__chunk_state(c, (uint32_t)(offset / PERCPU__GRAIN))) {
	case PERCPU__GRAIN_FREE: return "was freed already";
	case PERCPU__GRAIN_INSIDE: return "points into an object";
	default: percpu__chunk_give(c, (uint32_t)(offset / PERCPU__GRAIN));
	}
	return NULL;
}

static void misuse(const void *h, const char *what)
{
	const char *mode = percpu__os_env("PERCPU_MISUSE");

	if (mode != NULL && strcmp(mode, "warn") == 0)
		percpu__message(
			"percpu_free(%p): the pointer %s; nothing freed", h,
			what);
	else
		percpu__message_abort(
			"percpu_free(%p): the pointer %s (PERCPU_MISUSE=warn in the environment goes on)",
			h, what);
}

void percpu_free(void *h)
{
	struct percpu__chunk *spare = NULL;
	const char *wrong;

	if (h == NULL)
		return;
	percpu__lock_take();
	wrong = try_free(h);
	if (wrong == NULL)
		spare = unlink_spare(1);
	percpu__lock_drop();
	if (wrong != NULL)
		misuse(h, wrong);
	if (spare != NULL)
		percpu__chunk_destroy(spare);
}

/* At dlclose and at exit: unmap what holds no object; the rest is a leak. */
static void __attribute__((destructor)) release(void)
{
	struct percpu__chunk *c;

	do {
		percpu__lock_take();
		c = unlink_spare(0);
		percpu__lock_drop();
		if (c != NULL)
			percpu__chunk_destroy(c);
	} while (c != NULL);
}

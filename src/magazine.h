/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_MAGAZINE_H
#define PERCPU_SRC_MAGAZINE_H
/*
 * magazine.h: the magazines of a cache, as the depot moves items to and from
 * them. Whoever calls these holds the depot's lock.
 */
#include <percpu/cache.h>
#include <percpu/stack.h>

#include <stdbool.h>

/* Push and pop on this CPU's magazine; false if it is full, empty or shut. */
static inline bool percpu__magazine_put(struct percpu_cache *c, uint64_t item)
{
	return percpu__magazine_push(c->magazines, &c->capacity, item);
}

static inline bool percpu__magazine_get(struct percpu_cache *c, uint64_t *item)
{
	return percpu__magazine_pop(c->magazines, &c->floor, item);
}

/* The magazine of @slot. Its items are the caller's while all are shut. */
struct percpu_stack *percpu__magazine_of(const struct percpu_cache *c,
					 unsigned slot);

/* Items in all magazines; exact while nobody pushes and pops. */
uint64_t percpu__magazine_count(const struct percpu_cache *c);

/*
 * Let nobody push or pop from now on. False if there is no telling, for want of
 * a fence; then they are open as before.
 */
bool percpu__magazine_shut(struct percpu_cache *c, uint64_t capacity);
void percpu__magazine_open(struct percpu_cache *c, uint64_t capacity);

#endif
